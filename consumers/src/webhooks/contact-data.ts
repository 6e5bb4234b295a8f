import type { Recorded } from '@tidings/codec'
import type { Reading } from './reading.ts'
import type { Happening } from './sources.ts'

type Data = Readonly<Record<string, unknown>>

/** The contact after the append, as its stream tells it. Null once the person is erased: what waits is not told any more. */
export const contactData = async (
  { contacts }: Pick<Reading, 'contacts'>,
  append: readonly Recorded[],
  { cause, extra }: Happening,
): Promise<Data | null> => {
  const { state, createdAt, erased } = await contacts.after(append)
  if (erased || !state.exists) return null
  const { details, email, phone, consents, contactId } = state
  return {
    id: contactId,
    email,
    phone,
    firstName: details.firstName,
    lastName: details.lastName,
    tags: details.tags,
    emailConsent: consents.email,
    smsConsent: consents.sms,
    createdAt,
    updatedAt: cause.meta.at,
    ...extra,
    occurredAt: cause.meta.at,
  }
}
