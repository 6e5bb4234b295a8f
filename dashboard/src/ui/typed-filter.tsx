import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'

type Props = Readonly<{ label: string; help?: string; value: string; onChange: (value: string) => void }>

/** A filter that is typed: it asks a moment after the last key. */
export function TypedFilter({ label, help, value, onChange }: Props) {
  const [text, setText] = useState(value)
  const ask = useDebouncedCallback(onChange, 250)
  // The button that clears, and a step back in the history, change what is asked without typing.
  useEffect(() => setText(value), [value])
  return (
    <TextInput
      label={label}
      {...(help !== undefined && { placeholder: help })}
      value={text}
      maxLength={255}
      onChange={(event) => {
        setText(event.currentTarget.value)
        ask(event.currentTarget.value)
      }}
    />
  )
}
