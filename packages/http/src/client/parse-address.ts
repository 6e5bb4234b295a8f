import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** This is longer than an IPv6 address with a zone, brackets and a port: a longer text is none, and costs nothing. */
const MAX_LENGTH = 128
const BRACKETED = /^\[([^\]]*)\](?::(\d{1,5}))?$/
const V4_WITH_PORT = /^([\d.]+):(\d{1,5})$/
const MAX_PORT = 65_535

/**
 * The address in `ip`, `ip:port`, `[v6]` or `[v6]:port`, in one spelling: without its port and zone, an IPv4-mapped IPv6 address as IPv4, IPv6
 * as RFC 5952 writes it. Null for anything else, such as `unknown` and `_hidden` (RFC 7239 §6.3).
 */
export function parseAddress(text: string): string | null {
  const given = text.trim()
  if (given === '' || given.length > MAX_LENGTH) return null
  if (isIPv4(given)) return given
  const [, host = given, port = '0'] = BRACKETED.exec(given) ?? V4_WITH_PORT.exec(given) ?? []
  if (Number(port) > MAX_PORT) return null
  if (isIPv4(host)) return given.startsWith('[') ? null : host
  return isIPv6(host) ? canonicalIpv6(host) : null
}

const canonicalIpv6 = (address: string): string => {
  const parsed = ipaddr.IPv6.parse(address.split('%', 1)[0]!)
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : parsed.toRFC5952String()
}

/** What counts as one caller in a limit: an IPv4 address, or the /64 of an IPv6 one, since a single host owns all of its /64. */
export function limitKeyOf(address: string): string {
  if (!isIPv6(address)) return address
  const network = ipaddr.IPv6.parse(address).parts.slice(0, 4)
  return `${network.map((part) => part.toString(16)).join(':')}::/64`
}
