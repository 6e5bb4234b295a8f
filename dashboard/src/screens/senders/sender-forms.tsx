import { TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { FormButtons } from '../../ui/form-dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import { useAddAddress, useAddDomain, useAskForSmsSender } from './senders.api.ts'
import styles from './senders.module.css'

type Props = Readonly<{ onClose: () => void }>
type FormProps = Props &
  Readonly<{ verb: string; adding: Readonly<{ error: Error | null; isPending: boolean }>; onSubmit: () => void; children: ReactNode }>

function SenderForm({ verb, adding, onSubmit, onClose, children }: FormProps) {
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      {children}
      {adding.error && <Problem error={adding.error} />}
      <FormButtons verb={verb} pending={adding.isPending} onClose={onClose} />
    </form>
  )
}

export function DomainForm({ onClose }: Props) {
  const { senders: words } = useWords()
  const [domain, setDomain] = useState('')
  const adding = useAddDomain(onClose)
  return (
    <SenderForm verb={words.addDomainVerb} adding={adding} onSubmit={() => adding.mutate(domain)} onClose={onClose}>
      <TextInput
        label={words.domain}
        description={words.domainHelp}
        dir="ltr"
        required
        maxLength={512}
        data-autofocus
        value={domain}
        onChange={(event) => setDomain(event.currentTarget.value)}
      />
    </SenderForm>
  )
}

export function AddressForm({ onClose }: Props) {
  const { senders: words } = useWords()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const adding = useAddAddress(onClose)
  const submit = () => adding.mutate({ email, ...(name.trim() !== '' && { name }) })
  return (
    <SenderForm verb={words.addAddressVerb} adding={adding} onSubmit={submit} onClose={onClose}>
      <TextInput
        label={words.email}
        description={words.emailHelp}
        dir="ltr"
        required
        maxLength={320}
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <TextInput
        label={words.name}
        description={words.nameHelp}
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </SenderForm>
  )
}

export function SmsSenderForm({ onClose }: Props) {
  const { senders: words } = useWords()
  const [id, setId] = useState('')
  const asking = useAskForSmsSender(onClose)
  return (
    <SenderForm verb={words.askForSmsVerb} adding={asking} onSubmit={() => asking.mutate(id)} onClose={onClose}>
      <TextInput
        label={words.smsId}
        description={words.smsHelp}
        dir="ltr"
        required
        maxLength={11}
        data-autofocus
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
      />
    </SenderForm>
  )
}
