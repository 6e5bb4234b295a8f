import { TextInput } from '@mantine/core'
import { isVisible } from '@tidings/domain'
import { type FormEvent, type ReactNode, useState } from 'react'
import { FormButtons } from './form-dialog.tsx'
import { Problem } from './problem.tsx'
import { useSubmitKey } from './use-submit-key.ts'

type NewRecord<Draft> = Readonly<{ name: string; draft: Draft; idempotencyKey: string }>
type NameInput = Readonly<{ label: string; help: string; maxLength: number; value?: string; isFixed?: boolean }>
type Props<Draft> = Readonly<{
  name: NameInput
  first: Draft
  verb: string
  creating: Readonly<{ error: Error | null; isPending: boolean }>
  onCreate: (record: NewRecord<Draft>, options: Readonly<{ onError: (error: Error) => void }>) => void
  onClose: () => void
  className?: string | undefined
  isReady?: (draft: Draft) => boolean
  children?: (draft: Draft, change: (next: Draft) => void) => ReactNode
}>

/** Makes a record: a name for good, and what `children` ask for beside it. */
export function NewRecordForm<Draft>(props: Props<Draft>) {
  const { name: input, verb, creating, onCreate, onClose, className, isReady = () => true, children } = props
  const [name, setName] = useState(input.value ?? '')
  const [draft, setDraft] = useState(props.first)
  const { key: idempotencyKey, renew, onError } = useSubmitKey()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onCreate({ name, draft, idempotencyKey }, { onError })
  }
  const change = (next: Draft): void => {
    setDraft(next)
    renew()
  }
  return (
    <form onSubmit={submit} className={className}>
      <TextInput
        label={input.label}
        description={input.help}
        dir="auto"
        required
        maxLength={input.maxLength}
        readOnly={input.isFixed === true}
        data-autofocus
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value)
          renew()
        }}
      />
      {children?.(draft, change)}
      {creating.error && <Problem error={creating.error} />}
      <FormButtons verb={verb} pending={creating.isPending} disabled={!isVisible(name) || !isReady(draft)} onClose={onClose} />
    </form>
  )
}
