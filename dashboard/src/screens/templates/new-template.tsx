import { NativeSelect } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { FormButtons, FormDialog } from '../../ui/form-dialog.tsx'
import { NameField } from '../../ui/name-field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmitKey } from '../../ui/use-submit-key.ts'
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
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const creating = useCreateTemplate(onDone)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    creating.mutate({ name, channel, starter: words.starter, idempotencyKey }, { onError })
  }
  return (
    <form onSubmit={submit}>
      <NameField
        label={words.name}
        description={words.nameHelp}
        value={name}
        onChange={(value) => {
          setName(value)
          renew()
        }}
      />
      <NativeSelect
        label={profiles.channel}
        value={channel}
        data={CHANNELS.map((value) => ({ value, label: channels[value] }))}
        onChange={(event) => {
          const chosen = CHANNELS.find((one) => one === event.currentTarget.value)
          if (chosen) setChannel(chosen)
          renew()
        }}
      />
      {creating.error && <Problem error={creating.error} />}
      <FormButtons verb={words.create} pending={creating.isPending} disabled={name.trim() === ''} onClose={onClose} />
    </form>
  )
}
