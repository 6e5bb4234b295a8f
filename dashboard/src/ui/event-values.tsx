import { Textarea } from '@mantine/core'
import { useWords } from '../words/words.tsx'
import { propertiesIn } from './event-properties.ts'

/** What an event says, as JSON. */
export function EventValues({ text, onChange }: Readonly<{ text: string; onChange: (text: string) => void }>) {
  const { events: words } = useWords()
  return (
    <Textarea
      label={words.values}
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
