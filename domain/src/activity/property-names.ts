const MAX_PROPERTY_NAMES = 100

/** Letters, digits, `_`, `.`, `-` and blanks, at most 64, from a letter or `_` on: no email address and no phone number is one. */
const PROPERTY_NAME = /^[\p{L}_][\p{L}\p{N}_. -]{0,63}$/u

/**
 * The keys of properties that the event catalogue may show, at most 100. A key is a client's own text and may name a person: what does not
 * look like a name stays with the values, which are encrypted.
 */
export function propertyNamesOf(properties: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(properties)
    .filter((key) => PROPERTY_NAME.test(key))
    .slice(0, MAX_PROPERTY_NAMES)
}
