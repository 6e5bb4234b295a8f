import { addressesIn, kindNamed } from '../provider-kind.ts'

/** What of a kind tells which address is its. */
export type AddressedKind = Readonly<{ name: string; begins: readonly string[]; defaultPort?: (address: URL) => number }>

/** One provider of a setting. `label`: what metrics, `message why` and log lines call it: `host:port`, without a secret (M68). */
export type ListedAddress<Kind> = Readonly<{ kind: Kind; address: string; label: string }>

/**
 * The providers that a setting names, in their order. The second account of one host has a number behind it, so that a label names one
 * provider. Throws one sentence, without a secret, where the setting names what is none of the kinds, or one address twice. `must` ends it.
 */
export function listedAddresses<Kind extends AddressedKind>(
  kinds: readonly Kind[],
  setting: string,
  { what, must }: Readonly<{ what: string; must: string }>,
): readonly ListedAddress<Kind>[] {
  const addresses = addressesIn(setting)
  if (new Set(addresses).size < addresses.length) throw new Error(`${what} has one address twice.`)
  const seen = new Map<string, number>()
  return addresses.map((address) => {
    const kind = kindNamed(kinds, address)
    const isLoneWord = kind !== undefined && kind.defaultPort === undefined && addresses.length > 1
    if (kind === undefined || isLoneWord) throw new Error(`${what} must be ${must}.`)
    const endpoint = endpointOf(kind, address)
    const count = (seen.get(endpoint) ?? 0) + 1
    seen.set(endpoint, count)
    return { kind, address, label: count === 1 ? endpoint : `${endpoint}#${count}` }
  })
}

function endpointOf({ name, defaultPort }: AddressedKind, address: string): string {
  if (defaultPort === undefined || !URL.canParse(address)) return name
  const url = new URL(address)
  return `${url.hostname.toLowerCase()}:${url.port === '' ? defaultPort(url) : url.port}`
}
