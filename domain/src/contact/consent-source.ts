import type { ContactConsentRecorded } from './contact.events.ts'

/** Stands for a source that may name a person: what it says is encrypted, and ends with the key of the contact. */
export const SEALED_SOURCE = 'sealed'

const TOKEN = /^[A-Za-z0-9._-]{1,64}$/
/** Some telephone number, for all that is known. */
const NUMBER = /^[0-9._-]*$/
const NUMBER_DIGITS = 7

/** Whether a source names where a consent was given, as `checkout.newsletter`, and no person: a token of at most 64 letters, digits, `._-`. */
export function isSourceToken(source: string): boolean {
  return TOKEN.test(source) && !(NUMBER.test(source) && source.replaceAll(/[^0-9]/g, '').length >= NUMBER_DIGITS)
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
