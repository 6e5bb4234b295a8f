import { TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { FormButtons } from '../../ui/form-dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useWords } from '../../words/words.tsx'
import { type NewSender, useAddAddress, useAddDomain, useAskForSmsSender } from './senders.api.ts'
import styles from './senders.module.css'

type Props = Readonly<{ onClose: () => void }>
type Adding<Body> = Readonly<{
  error: Error | null
  isPending: boolean
  mutate: (wanted: NewSender<Body>, options: Readonly<{ onError: (error: Error) => void }>) => void
}>
type FormProps<Body> = Props & Readonly<{ verb: string; adding: Adding<Body>; body: Body; children: ReactNode }>

/** The same words are sent under the same key, however often they are sent. */
function SenderForm<Body>({ verb, adding, body, onClose, children }: FormProps<Body>) {
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    adding.mutate({ body, idempotencyKey }, { onError })
  }
  return (
    <form onSubmit={submit} onChange={renew} className={styles.form}>
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
    <SenderForm verb={words.addDomainVerb} adding={adding} body={{ domain }} onClose={onClose}>
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
  return (
    <SenderForm verb={words.addAddressVerb} adding={adding} body={{ email, ...(name.trim() !== '' && { name }) }} onClose={onClose}>
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
    <SenderForm verb={words.askForSmsVerb} adding={asking} body={{ id }} onClose={onClose}>
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
