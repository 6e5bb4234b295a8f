import { Checkbox, Group, Radio, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import { type CreatedWebhook, useCreateWebhook, useEventNames } from './webhooks.api.ts'
import styles from './webhooks.module.css'

type Props = Readonly<{ opened: boolean; onClose: () => void; onCreated: (created: CreatedWebhook) => void }>

export function NewWebhook({ opened, onClose, onCreated }: Props) {
  const { webhooks: words } = useWords()
  return (
    <FormDialog opened={opened} onClose={onClose} title={words.add}>
      <WebhookForm onClose={onClose} onCreated={onCreated} />
    </FormDialog>
  )
}

function WebhookForm({ onClose, onCreated }: Omit<Props, 'opened'>) {
  const { webhooks: words } = useWords()
  const [url, setUrl] = useState('')
  const [label, setLabel] = useState('')
  const [isAll, setAll] = useState(true)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [isAsked, setAsked] = useState(false)
  const creating = useCreateWebhook((created) => {
    onClose()
    onCreated(created)
  })
  const isMissing = !isAll && chosen.length === 0
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setAsked(true)
    if (!isMissing) creating.mutate({ url, events: isAll ? ['*'] : chosen, ...(label.trim() !== '' && { label }) })
  }
  return (
    <form onSubmit={submit} className={styles.form}>
      <TextInput
        label={words.url}
        description={words.urlHelp}
        type="url"
        dir="ltr"
        required
        maxLength={1_000}
        placeholder="https://example.com/hooks"
        data-autofocus
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <TextInput label={words.label} maxLength={255} value={label} onChange={(event) => setLabel(event.currentTarget.value)} />
      <Radio.Group label={words.pick} value={isAll ? 'all' : 'chosen'} onChange={(value) => setAll(value === 'all')}>
        <Group mt="xs">
          <Radio value="all" label={words.all} />
          <Radio value="chosen" label={words.chosen} />
        </Group>
      </Radio.Group>
      {!isAll && <EventNames chosen={chosen} onChange={setChosen} error={isAsked && isMissing ? words.eventNeeded : null} />}
      {creating.error && <Problem error={creating.error} />}
      <FormButtons verb={words.create} pending={creating.isPending} onClose={onClose} />
    </form>
  )
}

type EventsProps = Readonly<{ chosen: readonly string[]; onChange: (names: readonly string[]) => void; error: string | null }>

function EventNames({ chosen, onChange, error }: EventsProps) {
  const { webhooks: words } = useWords()
  const { data = [] } = useEventNames()
  return (
    <Checkbox.Group label={words.chosen} value={[...chosen]} onChange={onChange} error={error}>
      <div className={styles.events}>
        {data.map((name) => (
          <Checkbox key={name} value={name} label={<bdi dir="ltr">{name}</bdi>} />
        ))}
      </div>
    </Checkbox.Group>
  )
}
