import { Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useWords } from '../../words/words.tsx'
import { addressesIn, MOST_ADDRESSES } from './addresses.ts'
import { useAddMembers } from './list.api.ts'

type Props = Readonly<{ id: string; opened: boolean; onClose: () => void; onAdded: (count: number) => void }>

export function AddMembers({ opened, onClose, ...rest }: Props) {
  const { lists: words } = useWords()
  return (
    <FormDialog opened={opened} onClose={onClose} title={words.add}>
      <MembersForm onClose={onClose} {...rest} />
    </FormDialog>
  )
}

function MembersForm({ id, onClose, onAdded }: Omit<Props, 'opened'>) {
  const { lists: words } = useWords()
  const [text, setText] = useState('')
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const adding = useAddMembers(id, onAdded)
  const emails = addressesIn(text)
  const isRight = emails.length > 0 && emails.length <= MOST_ADDRESSES
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isRight) adding.mutate({ emails, idempotencyKey }, { onError })
  }
  return (
    <form onSubmit={submit}>
      <Textarea
        label={words.addresses}
        description={words.addressesHelp}
        dir="ltr"
        rows={6}
        value={text}
        data-autofocus
        onChange={(event) => {
          setText(event.currentTarget.value)
          renew()
        }}
      />
      {adding.error && <Problem error={adding.error} />}
      <FormButtons verb={words.add} pending={adding.isPending} disabled={!isRight} onClose={onClose} />
    </form>
  )
}
