import type { ContactConsentRecorded } from './contact.events.ts'

/** Stands for a source that may name a person: what it says is encrypted, and ends with the key of the contact. */
export const SEALED_SOURCE = 'sealed'

const TOKEN = /^[A-Za-z0-9._-]{1,64}$/
/** Digits in a row, as a telephone number is written. */
const DIGITS = /[0-9](?:[._-]*[0-9])*/g
const NUMBER_DIGITS = 7
/** A day between 1900 and 2099, and a time of it. */
const DATE =
  /^(?:19|20)[0-9]{2}([._-]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12][0-9]|3[01])(?:[._-]?(?:[01][0-9]|2[0-3])(?:[._-]?[0-5][0-9]){1,2})?$/
/** Matches ids of this installation: they name no person to others. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** `alone`: nothing else is said. That is no date then, for all that is known. */
const isNumber = (digits: string, alone: boolean): boolean =>
  digits.replaceAll(/[._-]/g, '').length >= NUMBER_DIGITS && (alone || !DATE.test(digits))

/**
 * Whether a source names where a consent was given, as `checkout.newsletter`, and no person: a token of at most 64 letters, digits, `._-`, in
 * which nothing may be a telephone number. Digits alone are one, also where they could be a date.
 */
export function isSourceToken(source: string): boolean {
  if (!TOKEN.test(source)) return false
  const alone = /^[0-9._-]*$/.test(source)
  return !source
    .replaceAll(UUID, 'id')
    .match(DIGITS)
    ?.some((digits) => isNumber(digits, alone))
}

/** A source as the log keeps it. */
export function keptSource(source: string): Pick<ContactConsentRecorded['data'], 'source' | 'sourceText'> {
  return isSourceToken(source) ? { source } : { source: SEALED_SOURCE, sourceText: source }
}

/** The source as it was said; that it was sealed, where the contact was erased. */
export function saidSource({ source, sourceText }: ContactConsentRecorded['data']): string {
  return sourceText ?? source
}

/** What may stay of it when the contact is erased. Versions before this one stored every source in clear. */
export function sourceWithoutPerson(source: string): string {
  return isSourceToken(source) ? source : SEALED_SOURCE
}
