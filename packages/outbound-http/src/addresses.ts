import ipaddr from 'ipaddr.js'

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
