import { Textarea } from '@mantine/core'
import { useWords } from '../words/words.tsx'
import { propertiesIn } from './event-properties.ts'

type Props = Readonly<{ label: string; text: string; onChange: (text: string) => void }>

/** A JSON object as text. */
export function PropertiesInput({ label, text, onChange }: Props) {
  const { events: words } = useWords()
  return (
    <Textarea
      label={label}
      dir="ltr"
      autosize
      minRows={3}
      maxRows={10}
      maxLength={8_192}
      error={propertiesIn(text) === null ? words.notJson : null}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
