import { getDomain } from 'tldts'
import { domainName, lowerCase } from './domain-name.ts'

const MAX_LENGTH = 320
/** No text that is longer has a form of at most 320: a character has at most four parts before NFC puts them together. */
const MAX_READ = MAX_LENGTH * 4

/** RFC 5322 atext, and the letters, marks and digits of every script (RFC 6531). */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u
const BEYOND_ASCII = /\P{ASCII}/u

/** An address in its two forms: `stored` is shown and mailed to, `key` is what it is compared, claimed and counted by. */
type Email = Readonly<{ stored: string; key: string }>

/**
 * An address that mail can be sent to, whatever its spelling (M46), or null: a dot-atom of at most 64 bytes in NFC and lower case, and a domain name
 * of at least two labels (RFC 5321 §4.5.3.1); at most 320 characters. No quoted local parts, no comments, no address literals, no blanks: nothing that
 * could break out of a header.
 */
function readEmail(text: string): Email | null {
  const at = text.lastIndexOf('@')
  if (at < 1 || text.length > MAX_READ) return null
  const local = inLowerCase(text.slice(0, at))
  const domain = isLocalPart(local) ? domainName(text.slice(at + 1)) : null
  if (domain === null) return null
  const stored = `${local}@${domain.unicode}`
  return stored.length > MAX_LENGTH ? null : { stored, key: `${local}@${domain.ascii}` }
}

const isLocalPart = (local: string): boolean => local.length <= 64 && Buffer.byteLength(local) <= 64 && LOCAL_PART.test(local)

/** Atom by atom: a sigma before a full stop is the last of its word, in capitals too. */
const inLowerCase = (local: string): string => {
  return BEYOND_ASCII.test(local) ? local.normalize('NFC').split('.').map(lowerCase).join('.') : local.toLowerCase()
}

/** Whether mail can be sent to it; with blanks around it, it cannot. */
export function isValidEmail(email: string): boolean {
  return readEmail(email) !== null
}

/** The form in which an address is stored, or null where mail cannot be sent to it. */
export function validEmail(email: string): string | null {
  return readEmail(email)?.stored ?? null
}

/**
 * The one form in which an address is stored and shown (G41, M46): trimmed, in NFC, its domain in Unicode. Two spellings of one address give one text,
 * so what is stored in it can be looked up by it. What is no address stays, in lower case: nothing that is stored is equal to it.
 */
export function normalizeEmail(raw: string): string {
  const trimmed = raw.trim()
  return readEmail(trimmed)?.stored ?? lowerCase(trimmed)
}

/** The key by which an address is claimed and counted: its stored form with the domain in ASCII. An address of ASCII alone is its own key. */
export function emailKey(raw: string): string {
  const trimmed = raw.trim()
  return readEmail(trimmed)?.key ?? lowerCase(trimmed)
}

/** The domain that somebody registered: with a catch-all, mail to every name and host below it arrives with its owner. */
export function mailDomainOf(address: string): string {
  const email = emailKey(address)
  const host = email.slice(email.lastIndexOf('@') + 1)
  // The private part of the list of public suffixes: hosts below `github.io` have owners of their own.
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}

/** The mailbox of an address: most providers ignore the part behind a plus, Google dots too. Otherwise one person has addresses without end. */
export function mailboxOf(address: string): string {
  const email = emailKey(address)
  const at = email.lastIndexOf('@')
  const [name, domain] = [email.slice(0, at).replace(/(?<=.)\+.*$/s, ''), email.slice(at + 1)]
  return /^g(?:oogle)?mail\.com$/.test(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`
}
