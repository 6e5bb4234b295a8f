import { isIP, isIPv4 } from 'node:net'
import { entriesUpTo } from '@tidings/async'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { createNameLookups } from './name-lookups.ts'
import type { Resolve } from './resolvers.ts'

/** A URL that may be called once its host was looked up. */
type Target = Readonly<{ href: string; origin: string; host: string }>

/** `allowLocal`: for development, also `http:`, ports, IPv6 literals and names without a dot. */
type TargetRules = Readonly<{ allowLocal: boolean }>

/** The authority as it was written: what WHATWG URL would tidy up (tabs, backslashes, escapes, blanks) does not pass as one. */
const STRICT = /^https:\/\/([^/?#\\@:%[\]\s\p{C}]+)(?:[/?#][^\s\p{C}\\]*)?$/iu
const LOOSE = /^https?:\/\/[^/?#\\@\s\p{C}]+(?:[/?#][^\s\p{C}\\]*)?$/iu

/**
 * Reads a URL by the rules that need no look-up: HTTPS, no port (not even 443), no user, a host with a dot. An IPv4 address must be
 * written as four decimal numbers: every other spelling that would become one is refused, and so are IPv6 literals and names that end in
 * a dot (G27). Null for whatever breaks a rule.
 */
function parseTarget(text: string, { allowLocal }: TargetRules): Target | null {
  const written = (allowLocal ? LOOSE : STRICT).exec(text)
  if (written === null || !URL.canParse(text)) return null
  const { href, origin, hostname } = new URL(text)
  if (allowLocal) return { href, origin, host: hostname.replace(/^\[(.*)\]$/, '$1') }
  const host = hostname.toLowerCase()
  if (!host.includes('.') || host.startsWith('.') || host.endsWith('.') || host.includes('..')) return null
  return isIP(host) !== 0 && (!isIPv4(host) || host !== written[1]) ? null : { href, origin, host }
}

/** The URL breaks a rule now. The message is for the operator; the owner of the URL gets one sentence for every reason. */
export class Blocked extends Error {
  override readonly name = 'Blocked'
}

/** The host has no address now. It may get one. */
export class NoAddress extends Blocked {}

/** The addresses that may be called for this target; null for any that its name has. */
export type Checked = Readonly<{ target: Target; addresses: readonly string[] | null }>

export type Guard = Readonly<{
  /** Reads the URL and looks its host up; `scope` as in `NameLookups`. Throws `Blocked`, or `Unresolved` where no resolver answered. */
  check: (url: string, scope: string) => Promise<Checked>
  /** Throws `Blocked` by what the URL itself says: no name is looked up. */
  checkText: (url: string) => void
}>

/** `now`: monotonic ms. */
export type GuardOptions = Readonly<{ resolve: Resolve; allowLocal: boolean; now?: () => number }>

/** A look-up that passed is cached for so long; connections go only to the addresses that it gave. */
const KEEP_MS = 5_000
const MAX_HOSTS = 10_000
/** Memory for parsed URLs, by the text that callers wrote: parsing one again costs some microseconds. */
const MAX_PARSED_BYTES = 8 * 1024 * 1024
/** The memory of a parsed URL beside its text, which is there twice. */
const URL_BYTES = 500

/**
 * The rules of where a call may go: every address of the host must be public, and the call goes to one of those very addresses, so that a
 * name cannot resolve to another address between the look-up and the connection.
 */
export function createGuard({ resolve, allowLocal, now = () => performance.now() }: GuardOptions): Guard {
  const parsed = new LRUCache<string, Target>({ maxSize: MAX_PARSED_BYTES, sizeCalculation: (_, url) => URL_BYTES + 2 * url.length })
  const passed = new LRUCache<string, Promise<readonly string[]>>({
    ...entriesUpTo(MAX_HOSTS),
    ttl: KEEP_MS,
    ttlResolution: 0,
    perf: { now },
  })

  const names = createNameLookups({ resolve, now })

  const lookUp = async (host: string, scope: string): Promise<readonly string[]> => {
    const addresses = await names.addressesOf(host, scope)
    if (addresses.length === 0) throw new NoAddress(`the name ${host} has no address`)
    if (!allowLocal && !addresses.every(isPublicAddress)) throw new Blocked(`an address of ${host} is not public`)
    return addresses
  }

  /** Keyed by scope too: one scope's slow look-up must not delay another's. */
  const addressesOf = (host: string, scope: string): Promise<readonly string[]> => {
    const key = `${scope} ${host}`
    const known = passed.get(key)
    if (known) return known
    const asked = isIP(host) ? literal(host) : lookUp(host, scope)
    passed.set(key, asked)
    asked.catch(() => passed.delete(key))
    return asked
  }

  const assertPublic = (host: string): void => {
    if (!allowLocal && !isPublicAddress(host)) throw new Blocked(`the address ${host} is not public`)
  }
  const literal = async (host: string): Promise<readonly string[]> => {
    assertPublic(host)
    return [host]
  }
  const targetOf = (url: string): Target => {
    const target = parsed.get(url) ?? parseTarget(url, { allowLocal })
    if (target === null) throw new Blocked('the URL is not one that may be called')
    parsed.set(url, target)
    return target
  }

  return {
    check: async (url, scope) => {
      const target = targetOf(url)
      return { target, addresses: await addressesOf(target.host, scope) }
    },
    checkText: (url) => {
      const { host } = targetOf(url)
      if (isIP(host)) assertPublic(host)
    },
  }
}

/**
 * For one server that the operator names: every URL of that origin may be called, wherever it is, and no other. The system looks its name
 * up for each connection, as it does for the database.
 */
export function createOriginGuard(origin: string): Guard {
  const targetOf = (url: string): Target => {
    const target = parseTarget(url, { allowLocal: true })
    if (target?.origin !== origin) throw new Blocked('the URL is not of the configured server')
    return target
  }
  return { check: async (url) => ({ target: targetOf(url), addresses: null }), checkText: (url) => void targetOf(url) }
}

// What ipaddr.js 2.5 calls unicast and is not the public internet: special-purpose blocks of RFC 6890 and its successors.
const MORE_V4 = ['192.88.99.0/24', '198.18.0.0/15', '192.0.0.0/24'].map((block) => ipaddr.IPv4.parseCIDR(block))
const MORE_V6 = ['64:ff9b:1::/48', '2001::/23', '3fff::/20', '5f00::/16'].map((block) => ipaddr.IPv6.parseCIDR(block))
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an address belongs to the public internet. IPv6 forms that carry an IPv4 address inside (mapped, NAT64, 6to4, Teredo) do not,
 * whatever they carry: no webhook needs them. False for text that is no address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv4) return !MORE_V4.some((block) => address.match(block))
  return address instanceof ipaddr.IPv6 && address.match(GLOBAL_UNICAST) && !MORE_V6.some((block) => address.match(block))
}
