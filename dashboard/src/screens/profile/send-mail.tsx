import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Profile } from '../../api/calls.ts'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useWords } from '../../words/words.tsx'
import { useSending, useSendMail } from './person.api.ts'
import styles from './profile.module.css'

type Props = Readonly<{ opened: boolean; profile: Profile; onClose: () => void; onSent: (messageId: string) => void }>

export function SendMail({ opened, onClose, ...rest }: Props) {
  const { profile: words } = useWords()
  return (
    <FormDialog opened={opened} onClose={onClose} title={words.sendTitle}>
      <MailForm onClose={onClose} {...rest} />
    </FormDialog>
  )
}

const EMPTY = { fromEmail: '', templateId: '', subject: '', text: '' }

function MailForm({ profile, onClose, onSent }: Omit<Props, 'opened'>) {
  const { profile: words } = useWords()
  const [fields, setFields] = useState(EMPTY)
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const { isKnown, error, refetch, senders, templates } = useSending()
  const sending = useSendMail(onSent)
  const change = (name: keyof typeof EMPTY) => (event: Readonly<{ currentTarget: Readonly<{ value: string }> }>) => {
    setFields({ ...fields, [name]: event.currentTarget.value })
    renew()
  }
  const { templateId, subject, text } = fields
  const fromEmail = fields.fromEmail || (senders[0]?.value ?? '')
  const isWritten = templateId === ''
  const problem = profile.email === null ? words.noEmail : isKnown && senders.length === 0 ? words.noSender : null
  const isReady = problem === null && fromEmail !== '' && (!isWritten || (subject.trim() !== '' && text.trim() !== ''))
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isReady) return
    const to = { contactId: profile.id, fromEmail }
    const mail = isWritten ? { ...to, subject, text, html: htmlOf(text) } : { ...to, templateId }
    sending.mutate({ mail, idempotencyKey }, { onError })
  }
  if (!isKnown) return error ? <Problem error={error} onRetry={refetch} /> : <Loading />
  return (
    <form onSubmit={submit} className={styles.form}>
      {problem !== null && <p role="alert">{problem}</p>}
      <NativeSelect label={words.sendFrom} value={fromEmail} data={senders} onChange={change('fromEmail')} dir="ltr" />
      <NativeSelect
        label={words.sendBy}
        value={templateId}
        data={[{ value: '', label: words.sendByText }, ...templates.map(({ value, label }) => ({ value, label }))]}
        onChange={change('templateId')}
        data-autofocus
      />
      {isWritten && (
        <>
          <TextInput label={words.sendSubject} value={subject} maxLength={500} dir="auto" onChange={change('subject')} />
          <Textarea label={words.sendText} value={text} maxLength={20_000} rows={6} dir="auto" onChange={change('text')} />
        </>
      )}
      {sending.error && <Problem error={sending.error} />}
      <FormButtons verb={words.sendVerb} pending={sending.isPending} disabled={!isReady} onClose={onClose} />
    </form>
  )
}

/** A text that somebody wrote as the html of a mail: what looks like html in it is text. */
function htmlOf(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((part) => `<p dir="auto">${part.split('\n').map(asText).join('<br>')}</p>`)
    .join('')
}

const asText = (line: string): string => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
