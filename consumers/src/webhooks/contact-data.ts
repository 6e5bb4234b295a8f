import type { Recorded } from '@tidings/codec'
import { type ContactEvent, evolveContact, unknownContact } from '@tidings/domain'
import type { Reading } from './reading.ts'
import type { Happening } from './sources.ts'

type Data = Readonly<Record<string, unknown>>

/** The contact after the append, as its stream tells it. Null once the person is erased: what waits is not told any more. */
export const contactData = async (
  { log }: Pick<Reading, 'log'>,
  append: readonly Recorded[],
  { cause, extra }: Happening,
): Promise<Data | null> => {
  const first = append[0]
  const isWhole = first?.revision === 0
  const history = isWhole ? (append as readonly Recorded<ContactEvent>[]) : await log.readStream<ContactEvent>(cause.stream)
  const last = append.at(-1)?.revision ?? -1
  return contactAfter(
    history.filter(({ revision }) => revision <= last),
    { at: cause.meta.at, ...(extra && { extra }) },
  )
}

const contactAfter = (events: readonly Recorded<ContactEvent>[], { at, extra }: Readonly<{ at: string; extra?: Data }>): Data | null => {
  if (events.some(({ erased }) => erased)) return null
  const { details, email, phone, consents, contactId, exists } = events.reduce(evolveContact, unknownContact)
  if (!exists) return null
  return {
    id: contactId,
    email,
    phone,
    firstName: details.firstName,
    lastName: details.lastName,
    tags: details.tags,
    emailConsent: consents.email,
    smsConsent: consents.sms,
    createdAt: events[0]?.meta.at,
    updatedAt: at,
    ...extra,
    occurredAt: at,
  }
}
