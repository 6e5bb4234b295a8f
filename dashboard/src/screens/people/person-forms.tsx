import { NativeSelect } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { InvitedPerson, ListedPerson } from '../../api/calls.ts'
import { EmailField } from '../../ui/email-field.tsx'
import { FormButtons } from '../../ui/form-dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSpoken, useWords } from '../../words/words.tsx'
import { type PersonRole, useChangeRole, useInvite } from './people.api.ts'

const ROLES: readonly PersonRole[] = ['member', 'admin', 'owner']

type RoleProps = Readonly<{ role: PersonRole; onChange: (role: PersonRole) => void }>

function RoleField({ role, onChange }: RoleProps) {
  const { people: words } = useWords()
  const change = (value: string): void => onChange(ROLES.find((one) => one === value) ?? 'member')
  return (
    <NativeSelect
      label={words.role}
      description={words.roleHelp[role]}
      value={role}
      data={ROLES.map((value) => ({ value, label: value }))}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}

type InviteProps = Readonly<{ onClose: () => void; onInvited: (invited: InvitedPerson) => void }>

export function InviteForm({ onClose, onInvited }: InviteProps) {
  const {
    words: { people: words },
    language,
  } = useSpoken()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<PersonRole>('member')
  const inviting = useInvite((invited) => {
    onClose()
    onInvited(invited)
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    inviting.mutate({ email, role, language })
  }
  return (
    <form onSubmit={submit}>
      <EmailField email={email} onChange={setEmail} />
      <RoleField role={role} onChange={setRole} />
      {inviting.error && <Problem error={inviting.error} />}
      <FormButtons verb={words.inviteVerb} pending={inviting.isPending} onClose={onClose} />
    </form>
  )
}

export function RoleForm({ person, onClose }: Readonly<{ person: ListedPerson; onClose: () => void }>) {
  const { people: words } = useWords()
  const [role, setRole] = useState<PersonRole>(person.role)
  const changing = useChangeRole(onClose)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    changing.mutate({ id: person.id, role })
  }
  return (
    <form onSubmit={submit}>
      <p>
        <bdi dir="ltr">{person.email}</bdi>
      </p>
      <RoleField role={role} onChange={setRole} />
      {changing.error && <Problem error={changing.error} />}
      <FormButtons verb={words.changeVerb} pending={changing.isPending} onClose={onClose} />
    </form>
  )
}
