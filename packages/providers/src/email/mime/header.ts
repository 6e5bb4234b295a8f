import { domainName } from '@tidings/addresses'
import { encodeWord, foldLines } from 'nodemailer/lib/mime-funcs'
import { DeliveryError } from '../../port.ts'

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/
/** C0 and C1 controls, DEL and the Unicode line separators. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/u

/** RFC 2047: an encoded word has at most 75 characters; nodemailer counts only its payload. */
const WORD_PAYLOAD = 52
const LINE = 76

/**
 * The value, if it can be part of a header. One with a CR, an LF, a NUL or another control character could add headers: it is refused, never
 * repaired.
 */
function headerSafe(name: string, value: string): string {
  if (CONTROLS.test(value)) throw new DeliveryError('refused', `the ${name} holds a control character and cannot be a header`)
  return value
}

/** `Name: value` with free text: encoded words where it is not ASCII, folded at 76. */
export function textHeader(name: string, value: string): string {
  return foldLines(`${name}: ${encodedText(headerSafe(name, value))}`, LINE)
}

/** `Name: value` with a value that this package makes. */
export function plainHeader(name: string, value: string): string {
  const line = `${name}: ${headerSafe(name, value)}`
  if (!PRINTABLE_ASCII.test(line)) throw new DeliveryError('refused', `the ${name} must be ASCII`)
  return line
}

/** `Name: Display Name <address>`. */
export function mailboxHeader(name: string, mailbox: Readonly<{ email: string; name: string | null }>): string {
  const address = `<${wireAddress(mailbox.email)}>`
  if (mailbox.name === null || mailbox.name === '') return `${name}: ${address}`
  return foldLines(`${name}: ${phrase(headerSafe(`${name} name`, mailbox.name))} ${address}`, LINE)
}

/**
 * Blanks that a fold could leave alone on a line, which ends the headers for some readers (RFC 5322 §3.2.2), and those at either end, which
 * readers take away.
 */
const LOOSE_BLANKS = /^ | $| {20}/

/** Unchanged only where no reader and no fold changes it. */
const isPlain = (value: string): boolean => PRINTABLE_ASCII.test(value) && !value.includes('=?') && !LOOSE_BLANKS.test(value)

const ATOMS = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+$/

function phrase(name: string): string {
  if (!isPlain(name)) return encodeWord(name, 'Q', WORD_PAYLOAD)
  return ATOMS.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`
}

function encodedText(value: string): string {
  // A text that looks like an encoded word is encoded, so that the reader sees what was written.
  return isPlain(value) && !/\S{70}/.test(value) ? value : encodeWord(value, 'Q', WORD_PAYLOAD)
}

/** A domain that is its own ASCII form; what may be an IPv4 address, or an encoded label, is looked at closely. */
const PLAIN_DOMAIN = /^(?:(?!xn--)[a-z0-9-]+\.)*(?!xn--)[a-z][a-z0-9-]*$/

/**
 * An address as it goes on the wire: an international domain in its ASCII form (RFC 5891), the one that it is compared by (M46). A local part beyond ASCII stays, and then only
 * a server with SMTPUTF8 (RFC 6531) takes it.
 */
export function wireAddress(email: string): string {
  const at = headerSafe('address', email).lastIndexOf('@')
  const given = email.slice(at + 1)
  const domain = PLAIN_DOMAIN.test(given) ? given : domainName(given)?.ascii
  if (at < 1 || domain === undefined || /[<>\s]/.test(email)) throw new DeliveryError('refused', 'an address cannot be put on the wire')
  return `${email.slice(0, at)}@${domain}`
}
