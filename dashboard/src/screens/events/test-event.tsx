import { type FormEvent, useState } from 'react'
import { ChoosePerson } from '../../ui/choose-person.tsx'
import { propertiesIn } from '../../ui/event-properties.ts'
import { EventValues } from '../../ui/event-values.tsx'
import { FormButtons } from '../../ui/form-dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
import { useWords } from '../../words/words.tsx'
import { useSendEvent } from './events.api.ts'
import styles from './events.module.css'

/** An event of one person, by the call that a server makes. */
export function TestEvent({ name, onClose }: Readonly<{ name: string; onClose: () => void }>) {
  const { events: words } = useWords()
  const [contactId, setContactId] = useState<string | null>(null)
  const [text, setText] = useState('')
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const sending = useSendEvent()
  const properties = propertiesIn(text)
  const changed = (): void => {
    renew()
    sending.reset()
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (contactId !== null && properties !== null) sending.mutate({ event: name, contactId, properties, idempotencyKey }, { onError })
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      <p>
        {words.event}: <bdi>{name}</bdi>. {words.testHelp}
      </p>
      <ChoosePerson
        label={words.person}
        none={words.noOne}
        value={contactId}
        onChange={(id) => {
          setContactId(id)
          changed()
        }}
      />
      <EventValues
        text={text}
        onChange={(next) => {
          setText(next)
          changed()
        }}
      />
      {sending.error && <Problem error={sending.error} />}
      <div role="status">{sending.data && words.sent(sending.data.data.enrolled)}</div>
      <FormButtons
        verb={words.send}
        pending={sending.isPending}
        disabled={contactId === null || properties === null || sending.isSuccess}
        onClose={onClose}
      />
    </form>
  )
}
