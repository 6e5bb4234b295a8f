import { createRequire } from 'node:module'

type Tr46Options = Readonly<Record<'checkBidi' | 'checkJoiners' | 'useSTD3ASCIIRules' | 'verifyDNSLength', true>>
type Uts46 = Readonly<{
  toASCII: (domain: string, options: Tr46Options) => string | null
  toUnicode: (domain: string, options: Tr46Options) => Readonly<{ domain: string; error: boolean }>
}>

/** Hyphens are judged below: `r3---sn.example` is a domain name, though UTS 46 may refuse it. */
const OPTIONS: Tr46Options = { checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true, verifyDNSLength: true }

/** This is longer than any meant spelling of 253 characters, two units each: reading more would only cost time. */
const MAX_READ = 512
/** The same of a label, 63 characters of four units each: the time of Punycode is quadratic, and a character may be mapped to 18. */
const MAX_LABEL_READ = 252
const DOT = /[.\u3002\uff0e\uff61]/
const PLAIN = /^(?!xn--)[a-z0-9-]+(?:\.(?!xn--)[a-z0-9-]+)*$/
const ASCII_DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9])$/
const HYPHEN_AT_AN_END = /(?:^|\.)-|-(?:\.|$)/

const require = createRequire(import.meta.url)
let loaded: Uts46 | undefined

/**
 * The library, and not Node's `domainToASCII`: that maps `ẞ` to `ss` or to `ß` by the version of Node, takes what is no Punycode, undoes `%61` and
 * reads `1.2` as an address of IPv4. Loaded when an international domain is read first: its tables take 9 MB.
 */
const uts46 = (): Uts46 => {
  if (loaded === undefined) {
    const library: Uts46 = require('tr46')
    loaded = library
  }
  return loaded
}

/** `unicode` is stored and shown, `ascii` is compared and goes on the wire. */
type DomainName = Readonly<{ unicode: string; ascii: string }>

/**
 * Both forms of a domain name that mail can be sent to, whatever its spelling (UTS 46, non-transitional; M46); null for one of a single label, an
 * address of IPv4, and what UTS 46 or the DNS refuses. An international name takes twenty times as long as any other.
 */
export function domainName(raw: string): DomainName | null {
  const lower = raw.toLowerCase()
  if (PLAIN.test(lower)) return isDomain(lower) ? { unicode: lower, ascii: lower } : null
  if (raw.length > MAX_READ || raw.split(DOT).some((label) => label.length > MAX_LABEL_READ)) return null
  // UTS 46 maps before it orders marks: without this, two spellings that are canonically equivalent would be two names.
  const ascii = uts46().toASCII(raw.normalize('NFC'), OPTIONS)
  if (ascii === null || !isDomain(ascii)) return null
  const { domain, error } = uts46().toUnicode(ascii, OPTIONS)
  return error || HYPHEN_AT_AN_END.test(domain) ? null : { unicode: domain, ascii }
}

const isDomain = (ascii: string): boolean => ascii.length <= 253 && ASCII_DOMAIN.test(ascii)

/** The form in which a domain name is stored and shown (M46). What is no domain name stays, trimmed and in lower case: nothing is equal to it. */
export function normalizeDomain(raw: string): string {
  const trimmed = raw.trim()
  return domainName(trimmed)?.unicode ?? lowerCase(trimmed)
}

/** The form in which a domain name is compared, and asked for in the DNS. What is no domain name stays, trimmed and in lower case. */
export function asciiDomain(raw: string): string {
  const trimmed = raw.trim()
  return domainName(trimmed)?.ascii ?? lowerCase(trimmed)
}

/** No address is as long, in any spelling. */
const MAX_IN_NFC = 2_048

/**
 * In NFC and lower case: a small letter may join the mark behind it where the capital did not. A text that is longer than any address is in lower case
 * alone: the time of NFC is quadratic in the marks behind a letter.
 */
export function lowerCase(text: string): string {
  if (text.length > MAX_IN_NFC) return text.toLowerCase()
  return text.normalize('NFC').toLowerCase().normalize('NFC')
}
