import { useWords } from '../words/words.tsx'
import { PropertiesInput } from './properties-input.tsx'

/** What an event says, as JSON. */
export function EventValues(props: Readonly<{ text: string; onChange: (text: string) => void }>) {
  const { events: words } = useWords()
  return <PropertiesInput label={words.values} {...props} />
}
