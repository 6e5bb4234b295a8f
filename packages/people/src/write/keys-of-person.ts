import { emailKey } from '@tidings/addresses'

type Addresses = Readonly<{ email?: string | null | undefined; phone?: string | null | undefined }>

/** The addresses as they are compared (M46): lines that have one in common are about one person. */
export function keysOfPerson({ email, phone }: Addresses): readonly string[] {
  return [...(typeof email === 'string' ? [`email ${emailKey(email)}`] : []), ...(typeof phone === 'string' ? [`phone ${phone}`] : [])]
}
