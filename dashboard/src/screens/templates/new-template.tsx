import { NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { newKey } from '../../api/client.ts'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../words/words.tsx'
import { type NewTemplate as TemplateRequest, useCreateTemplate } from './templates.api.ts'

type Props = Readonly<{ opened: boolean; onClose: () => void; onDone: (id: string) => void }>

const CHANNELS = ['email', 'sms', 'push'] as const

export function NewTemplate({ opened, onClose, onDone }: Props) {
  const { templates: words } = useWords()
  return (
    <FormDialog opened={opened} onClose={onClose} title={words.add}>
      <TemplateForm onClose={onClose} onDone={onDone} />
    </FormDialog>
  )
}

function TemplateForm({ onClose, onDone }: Omit<Props, 'opened'>) {
  const { templates: words, profiles, channels } = useWords()
  const [name, setName] = useState('')
  const [channel, setChannel] = useState<TemplateRequest['channel']>('email')
  const [idempotencyKey, setKey] = useState(newKey)
  const creating = useCreateTemplate(onDone)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    creating.mutate({ name, channel, starter: words.starter, idempotencyKey })
  }
  return (
    <form onSubmit={submit}>
      <TextInput
        label={words.name}
        description={words.nameHelp}
        required
        maxLength={255}
        dir="auto"
        data-autofocus
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value)
          setKey(newKey())
        }}
      />
      <NativeSelect
        label={profiles.channel}
        value={channel}
        data={CHANNELS.map((value) => ({ value, label: channels[value] }))}
        onChange={(event) => {
          const chosen = CHANNELS.find((one) => one === event.currentTarget.value)
          if (chosen) setChannel(chosen)
          setKey(newKey())
        }}
      />
      {creating.error && <Problem error={creating.error} />}
      <FormButtons verb={words.create} pending={creating.isPending} disabled={name.trim() === ''} onClose={onClose} />
    </form>
  )
}
