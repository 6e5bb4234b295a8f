import { createHash } from 'node:crypto'
import { addressesIn, kindNamed } from '../provider-kind.ts'

/** What of a kind tells which address is its. */
export type AddressedKind = Readonly<{ name: string; begins: readonly string[]; defaultPort?: (address: URL) => number }>

/**
 * One provider of a setting. `label`: what metrics, `message why` and log lines call it: `host:port`, without a secret (M68). `otherNames`: what another setting
 * calls it, or called it before M68; what fits best comes first.
 */
export type ListedAddress<Kind> = Readonly<{ kind: Kind; address: string; label: string; otherNames: readonly string[] }>

/**
 * The providers that a setting names, in their order. Where a host has several accounts, each label ends in a digest of its account: what was put down under it
 * names the same account after the list has another order, and after another password. Throws one sentence, without a secret, where the setting names what is
 * none of the kinds, or one address twice. `must` ends it.
 */
export function listedAddresses<Kind extends AddressedKind>(
  kinds: readonly Kind[],
  setting: string,
  { what, must }: Readonly<{ what: string; must: string }>,
): readonly ListedAddress<Kind>[] {
  const addresses = addressesIn(setting)
  if (new Set(addresses).size < addresses.length) throw new Error(`${what} has one address twice.`)
  const named = addresses.map((address) => {
    const kind = kindNamed(kinds, address)
    const isLoneWord = kind !== undefined && kind.defaultPort === undefined && addresses.length > 1
    if (kind === undefined || isLoneWord) throw new Error(`${what} must be ${must}.`)
    return { kind, address, endpoint: endpointOf(kind, address) }
  })
  const isShared = (endpoint: string): boolean => named.filter((one) => one.endpoint === endpoint).length > 1
  const seen = new Map<string, number>()
  return named.map(({ kind, address, endpoint }) => {
    const account = `${endpoint}#${accountOf(address)}`
    const count = (seen.get(account) ?? 0) + 1
    seen.set(account, count)
    const label = isShared(endpoint) ? account : endpoint
    return { kind, address, label: count === 1 ? label : `${label}-${count}`, otherNames: [account, endpoint, kind.name] }
  })
}

const DIGITS = 6

/** Tells accounts of a host apart, whatever their passwords and options are: by the user, and the path. */
function accountOf(address: string): string {
  if (!URL.canParse(address)) return ''
  const { username, pathname } = new URL(address)
  return createHash('sha256')
    .update(`${username} ${pathname.replace(/\/+$/, '')}`)
    .digest('hex')
    .slice(0, DIGITS)
}

function endpointOf({ name, defaultPort }: AddressedKind, address: string): string {
  if (defaultPort === undefined || !URL.canParse(address)) return name
  const url = new URL(address)
  return `${url.hostname.toLowerCase()}:${url.port === '' ? defaultPort(url) : url.port}`
}
