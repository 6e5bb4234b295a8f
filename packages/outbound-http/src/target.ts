import { isIP, isIPv4 } from 'node:net'

/** A URL that may be called once its host was looked up. */
export type Target = Readonly<{ href: string; origin: string; host: string }>

/** `allowLocal`: for development, also `http:`, ports, IPv6 literals and names without a dot. */
export type TargetRules = Readonly<{ allowLocal: boolean }>

/** The authority as it was written: what WHATWG URL would tidy up (tabs, backslashes, escapes, blanks) does not pass as one. */
const STRICT = /^https:\/\/([^/?#\\@:%[\]\s\p{C}]+)(?:[/?#][^\s\p{C}\\]*)?$/iu
const LOOSE = /^https?:\/\/[^/?#\\@\s\p{C}]+(?:[/?#][^\s\p{C}\\]*)?$/iu

/**
 * Reads a URL by the rules that need no look-up: HTTPS, no port (not even 443), no user, a host with a dot. An IPv4 address must be
 * written as four decimal numbers: every other spelling that would become one is refused, and so are IPv6 literals and names that end in
 * a dot (G27). Null for whatever breaks a rule.
 */
export function parseTarget(text: string, { allowLocal }: TargetRules): Target | null {
  const written = (allowLocal ? LOOSE : STRICT).exec(text)
  if (written === null || !URL.canParse(text)) return null
  const { href, origin, hostname } = new URL(text)
  if (allowLocal) return { href, origin, host: hostname.replace(/^\[(.*)\]$/, '$1') }
  const host = hostname.toLowerCase()
  if (!host.includes('.') || host.startsWith('.') || host.endsWith('.') || host.includes('..')) return null
  return isIP(host) !== 0 && (!isIPv4(host) || host !== written[1]) ? null : { href, origin, host }
}
