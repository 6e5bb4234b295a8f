import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useTyped } from './use-typed.ts'

type Props = Readonly<{ label: string; help?: string; value: string; onChange: (value: string) => void }>

/** A filter that is typed: it asks a moment after the last key. */
export function TypedFilter({ label, help, value, onChange }: Props) {
  const { text, type, asks } = useTyped(value)
  const ask = useDebouncedCallback((next: string) => {
    asks(next)
    onChange(next)
  }, 250)
  return (
    <TextInput
      label={label}
      {...(help !== undefined && { placeholder: help })}
      value={text}
      maxLength={255}
      onChange={(event) => {
        type(event.currentTarget.value)
        ask(event.currentTarget.value)
      }}
    />
  )
}
