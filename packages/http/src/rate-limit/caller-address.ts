import ipaddr from 'ipaddr.js'

/**
 * What stands for a caller in a counter: the IPv4 address, or the /64 of an IPv6 one, since a single host owns all of its /64.
 * A text that is no address (a strange `X-Forwarded-For` of a trusted proxy) stands for itself, cut to 64 characters.
 */
export function callerAddress(ip: string): string {
  if (!ip.includes(':')) return ip.slice(0, 64)
  if (!ipaddr.isValid(ip)) return ip.slice(0, 64)
  const address = ipaddr.parse(ip)
  if (address instanceof ipaddr.IPv4) return address.toString()
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString()
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
