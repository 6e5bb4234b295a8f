import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { WorkspaceWithKey } from '../../api/calls.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { NewRecordForm } from '../../ui/new-record-form.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { useWords } from '../../words/words.tsx'
import { InviteOwner } from './invite-owner.tsx'
import { PLANS, useCreateWorkspace, type WorkspacePlan } from './workspaces.api.ts'

type Draft = Readonly<{ slug: string; country: string; plan: WorkspacePlan }>

const FIRST: Draft = { slug: '', country: 'IL', plan: 'free' }
const isReady = ({ slug, country }: Draft): boolean => /^[a-z0-9-]{1,24}$/.test(slug) && /^[A-Z]{2}$/.test(country)

/** Makes a workspace, shows its first key once, and leads to the invitation of its first owner. */
export function NewWorkspace({ opened, onClose }: Readonly<{ opened: boolean; onClose: () => void }>) {
  const { systemWorkspaces: words, tokens } = useWords()
  const [made, setMade] = useState<WorkspaceWithKey | null>(null)
  const [invited, setInvited] = useState<string | null>(null)
  const invite = (): void => {
    setInvited(made?.slug ?? null)
    setMade(null)
  }
  return (
    <>
      <FormDialog opened={opened} onClose={onClose} title={words.add}>
        <WorkspaceForm onClose={onClose} onCreated={setMade} />
      </FormDialog>
      <SecretOnce
        secret={made?.key ?? null}
        title={words.keyOf(made?.slug ?? '')}
        help={tokens.keyHelp}
        done={tokens.done}
        onDone={() => setMade(null)}
        next={{ text: words.inviteOwner, pending: false, onPress: invite }}
      />
      <InviteOwner slug={invited} onClose={() => setInvited(null)} />
    </>
  )
}

type FormProps = Readonly<{ onClose: () => void; onCreated: (made: WorkspaceWithKey) => void }>

function WorkspaceForm({ onClose, onCreated }: FormProps) {
  const { systemWorkspaces: words } = useWords()
  const creating = useCreateWorkspace((made) => {
    onClose()
    onCreated(made)
  })
  return (
    <NewRecordForm
      name={{ label: words.name, help: words.nameHelp, maxLength: 255 }}
      first={FIRST}
      verb={words.create}
      creating={creating}
      onCreate={({ draft, ...named }, options) => creating.mutate({ ...draft, ...named }, options)}
      onClose={onClose}
      isReady={isReady}
    >
      {(draft, change) => <WorkspaceInputs draft={draft} onChange={change} />}
    </NewRecordForm>
  )
}

function WorkspaceInputs({ draft, onChange }: Readonly<{ draft: Draft; onChange: (next: Draft) => void }>) {
  const { systemWorkspaces: words, workspace } = useWords()
  return (
    <>
      <TextInput
        label={workspace.slug}
        description={words.slugHelp}
        dir="ltr"
        required
        maxLength={24}
        value={draft.slug}
        onChange={(event) => onChange({ ...draft, slug: event.currentTarget.value.trim().toLowerCase() })}
      />
      <TextInput
        label={workspace.country}
        description={workspace.countryHelp}
        dir="ltr"
        required
        maxLength={2}
        value={draft.country}
        onChange={(event) => onChange({ ...draft, country: event.currentTarget.value.toUpperCase() })}
      />
      <NativeSelect
        label={workspace.plan}
        value={draft.plan}
        data={[...PLANS]}
        onChange={(event) => onChange({ ...draft, plan: PLANS.find((plan) => plan === event.currentTarget.value) ?? draft.plan })}
      />
    </>
  )
}
