import { BlockList, isIPv6 } from 'node:net'

const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Whether an address (`parseAddress`) is that of a trusted proxy. `networks` is a comma list of addresses, networks such as `10.0.0.0/8`, and the
 * names `loopback`, `linklocal` and `uniquelocal`. Throws for what is none of them.
 */
export function trustedNetworks(networks: string): (address: string) => boolean {
  const list = new BlockList()
  const wanted = networks.split(',').map((network) => network.trim())
  for (const network of wanted.flatMap((name) => NAMED[name] ?? [name])) {
    if (network === '') continue
    const [address = '', bits] = network.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
