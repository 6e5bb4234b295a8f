const MAX_PROPERTY_NAMES = 100

/** A name as a program writes it: letters, digits, `_`, `.`, `-`, `$`, at most 64, from a letter, `_` or `$` on, and no blank, as between two names. */
const PROPERTY_NAME = /^[\p{L}_$][\p{L}\p{M}\p{N}_.$-]{0,63}$/u
/** Seven digits, however they are parted, are a number of somebody, as in `tel_050-1234567`. */
const NUMBER = /\p{N}(?:[_.$-]*\p{N}){6}/u

/** Whether the event catalogue may show the key of a property. A key is a client's own text and may name a person. */
export function isPropertyName(key: string): boolean {
  return PROPERTY_NAME.test(key) && !NUMBER.test(key)
}

/** The keys of properties that the event catalogue may show, at most 100: all others stay with the values, which are encrypted. */
export function propertyNamesOf(properties: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(properties).filter(isPropertyName).slice(0, MAX_PROPERTY_NAMES)
}

/** A telephone number with its country; names may have other digits, as a date or a count. */
const PHONE = /[+\uff0b][\s().-]*\p{N}(?:[\s().-]*\p{N}){6}/u

/** Whether the catalogue may show the name of an event that was only observed. Blanks are usual in it, addresses and telephone numbers are data. */
export function isShownEventName(name: string): boolean {
  return !/[@\uff20\p{Cc}\p{Cf}]/u.test(name) && !PHONE.test(name)
}
