import type { Recorded } from '@tidings/codec'
import { type ContactEvent, evolveContact, unknownContact } from '@tidings/domain'

/** The name and addresses of a contact, for the reader of the report: opened from the events of the export. Null where nothing is known, or the person is erased. */
export type Person = Readonly<{ name: string | null; email: string | null; phone: string | null }>

export const UNNAMED: Person = { name: null, email: null, phone: null }

/** The person as of the last of these events, which are all of one contact, opened. */
export function personOf(events: readonly Recorded<ContactEvent>[]): Person {
  const { exists, details, email, phone } = events.reduce(evolveContact, unknownContact)
  if (!exists || events.some(({ erased }) => erased)) return UNNAMED
  const name = [details.firstName, details.lastName].filter((part) => part !== null && part !== '').join(' ')
  return { name: name === '' ? null : name, email, phone }
}
