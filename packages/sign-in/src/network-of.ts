const IPV4 = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/
const IPV6_64 = /^([\da-f]{1,4}:[\da-f]{1,4}:[\da-f]{1,4}):[\da-f]{1,4}::\/64$/

/** The network around a client as limits name it: the /24 of an IPv4 address, the /48 of an IPv6 /64; of anything else it is itself. */
export function networkOf(client: string): string {
  const [, of4] = IPV4.exec(client) ?? []
  if (of4 !== undefined) return `${of4}.0/24`
  const [, of6] = IPV6_64.exec(client) ?? []
  return of6 === undefined ? client : `${of6}::/48`
}
