import { TextInput } from '@mantine/core'

type Props = Readonly<{ label: string; description?: string; value: string; onChange: (value: string) => void }>

/** The first field of a form that makes a record: its name, in any script. */
export function NameField({ onChange, ...rest }: Props) {
  return (
    <TextInput {...rest} required maxLength={255} dir="auto" data-autofocus onChange={(event) => onChange(event.currentTarget.value)} />
  )
}
