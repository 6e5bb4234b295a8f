import { type FormEvent, useState } from 'react'
import { EmailField } from '../../ui/email-field.tsx'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { type GivenLink, LinkOnce } from '../../ui/given-link.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSpoken, useWords } from '../../words/words.tsx'
import { useInviteOwner } from './workspaces.api.ts'

/** Lets somebody into a workspace as its owner, and shows the link once. `slug`: null while no workspace is chosen. */
export function InviteOwner({ slug, onClose }: Readonly<{ slug: string | null; onClose: () => void }>) {
  const { systemWorkspaces: words } = useWords()
  const [link, setLink] = useState<GivenLink | null>(null)
  return (
    <>
      <FormDialog opened={slug !== null} onClose={onClose} title={words.inviteOwner}>
        {slug !== null && <OwnerForm slug={slug} onClose={onClose} onInvited={setLink} />}
      </FormDialog>
      <LinkOnce link={link} onDone={() => setLink(null)} />
    </>
  )
}

type FormProps = Readonly<{ slug: string; onClose: () => void; onInvited: (link: GivenLink) => void }>

function OwnerForm({ slug, onClose, onInvited }: FormProps) {
  const {
    words: { people, systemWorkspaces: words },
    language,
  } = useSpoken()
  const [email, setEmail] = useState('')
  const inviting = useInviteOwner(slug, ({ link: { url }, ...invited }) => {
    onClose()
    onInvited({ ...invited, url })
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    inviting.mutate({ email, language })
  }
  return (
    <form onSubmit={submit}>
      <EmailField email={email} onChange={setEmail} description={words.ownerHelp(slug)} />
      {inviting.error && <Problem error={inviting.error} />}
      <FormButtons verb={people.inviteVerb} pending={inviting.isPending} onClose={onClose} />
    </form>
  )
}
