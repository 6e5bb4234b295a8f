import type { Json } from '../contact/contact.events.ts'
import { ownValue, valuesNamed } from '../values.ts'

/** The text of a key; empty when there is none, and then the tag's fallback is used. */
export type MergeValues = (key: string) => string

type MergeContact = Readonly<{
  firstName: string | null
  lastName: string | null
  email: string | null
  phone: string | null
  customProperties: Readonly<Record<string, Json>>
}>

/** Names of the person and of compliance; what comes from events must not shadow them (contract: Event ingest). */
export const RESERVED_MERGE_KEYS = ['firstName', 'lastName', 'email', 'phone', 'unsubscribeUrl'] as const

export function isReservedMergeKey(key: string): boolean {
  return RESERVED_MERGE_KEYS.some((reserved) => reserved === key)
}

const CUSTOM = 'custom.'

/** Links of the service, each created only if the template uses it. */
export type MergeLinks = Readonly<{ unsubscribeUrl: () => string }>

/**
 * The contact, then its custom properties as `custom.<key>`, then `fields`, later winning. A null among `fields` is skipped;
 * an object or array renders empty. `contact` is null where the recipient is unknown, `links` where there are none.
 */
export function mergeValues(
  contact: MergeContact | null,
  fields: Readonly<Record<string, Json>> = {},
  links: MergeLinks | null = null,
): MergeValues {
  const known = contact === null ? {} : namesOf(contact)
  const [givenNamed, customNamed] = [valuesNamed(fields), valuesNamed(contact?.customProperties ?? {})]
  return (key) => {
    const given = givenNamed(key)
    if (given !== undefined && given !== null) return textOf(given)
    if (key === 'unsubscribeUrl' && links !== null) return links.unsubscribeUrl()
    const custom = key.startsWith(CUSTOM) ? customNamed(key.slice(CUSTOM.length)) : undefined
    return textOf(custom ?? ownValue(known, key) ?? null)
  }
}

const namesOf = ({ firstName, lastName, email, phone }: MergeContact): Readonly<Record<string, string | null>> => ({
  firstName,
  lastName,
  email,
  phone,
})

/** A value of blanks alone is empty (M52). */
const textOf = (value: Json): string => {
  const text = value === null || typeof value === 'object' ? '' : String(value)
  return text.trim() === '' ? '' : text
}
