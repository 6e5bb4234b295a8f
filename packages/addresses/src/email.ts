const EMAIL_MAX_LENGTH = 320

/** The one form in which an address is stored, compared and sent to (G41): trimmed, lower case. */
export function normalizeEmail(raw: string): string {
  return raw.trim().toLowerCase()
}

/** RFC 5322 atext, and the letters, marks and digits of every script (RFC 6531). */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u
const TOP_LEVEL = /^(?:[\p{L}\p{M}]{2,63}|xn--[a-z0-9-]{2,59})$/iu

/**
 * True for an address that mail can be sent to: a dot-atom of at most 64 bytes, and a domain name of at least two labels
 * (RFC 5321 §4.5.3.1); at most 320 characters. No quoted local parts, no comments, no address literals, no blanks: nothing that
 * could break out of a header.
 */
export function isValidEmail(email: string): boolean {
  if (email.length > EMAIL_MAX_LENGTH) return false
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1)
  return at > 0 && isLocalPart(email.slice(0, at)) && domain.length <= 253 && isDomain(domain.split('.'))
}

const isLocalPart = (local: string): boolean => Buffer.byteLength(local) <= 64 && LOCAL_PART.test(local)

const isDomain = (labels: readonly string[]): boolean =>
  labels.length >= 2 && labels.every((label) => LABEL.test(label)) && TOP_LEVEL.test(labels.at(-1) ?? '')
