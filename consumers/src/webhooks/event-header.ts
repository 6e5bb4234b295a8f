/** The characters that a header cannot carry, or would lose at its ends, and `%`. */
const ENCODED = /[^\x20-\x24\x26-\x7e]|^ +| +$/gu
/** `%` with two digits would read as something encoded. */
const PLAIN = /^(?! )(?:[\x20-\x24\x26-\x7e]|%(?![\da-f]{2}))*(?<! )$/i

/**
 * The name of an event as the value of a header: unchanged where it is printable ASCII without blanks at its ends. Another, and one in which `%`
 * stands before two hexadecimal digits, is percent-encoded (RFC 3986 over UTF-8), `%` included. So `%` and two digits in the value say that
 * it is encoded, and nothing else looks so.
 */
export function eventHeader(name: string): string {
  return PLAIN.test(name) ? name : name.replace(ENCODED, percentEncoded)
}

const percentEncoded = (text: string): string => Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '%$&')
