import type { Recorded } from '@tidings/codec'
import { type ContactEvent, evolveContact, unknownContact } from '@tidings/domain'

/** An address or number that a contact had, and gave up at `until`. */
type FormerAddress = Readonly<{ channel: 'email' | 'phone'; value: string; until: string }>

/**
 * The name and addresses of a contact, for the reader of the report: opened from the events of the export. Null where nothing is known, or the person
 * is erased. `former`: what statements of before were about, oldest first.
 */
export type Person = Readonly<{ name: string | null; email: string | null; phone: string | null; former: readonly FormerAddress[] }>

export const UNNAMED: Person = { name: null, email: null, phone: null, former: [] }

/** The person as of the last of these events, which are all of one contact, opened. */
export function personOf(events: readonly Recorded<ContactEvent>[]): Person {
  if (events.some(({ erased }) => erased)) return UNNAMED
  const former: FormerAddress[] = []
  let known = unknownContact
  for (const event of events) {
    const next = evolveContact(known, event)
    for (const channel of ['email', 'phone'] as const) {
      const value = known[channel]
      if (value !== null && value !== next[channel]) former.push({ channel, value, until: event.meta.at })
    }
    known = next
  }
  if (!known.exists) return UNNAMED
  const { details, email, phone } = known
  const name = [details.firstName, details.lastName].filter((part) => part !== null && part !== '').join(' ')
  return { name: name === '' ? null : name, email, phone, former }
}
