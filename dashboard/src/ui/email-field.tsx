import { TextInput } from '@mantine/core'
import { useWords } from '../words/words.tsx'

type Props = Readonly<{ email: string; onChange: (email: string) => void; description?: string }>

/** Takes the address of somebody who is invited; the first field of its dialog. */
export function EmailField({ email, onChange, description }: Props) {
  const { people: words } = useWords()
  return (
    <TextInput
      label={words.email}
      description={description}
      type="email"
      dir="ltr"
      required
      maxLength={320}
      data-autofocus
      value={email}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
