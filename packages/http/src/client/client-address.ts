import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { parseAddress } from './parse-address.ts'

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

/** `isNamed`: no trusted proxy left out or hid for whom it forwards. */
export type Client = Readonly<{ address: string; isNamed: boolean }>

declare module 'fastify' {
  interface FastifyRequest {
    ownClient: Client | null
    /** The caller. It is read once, so that it holds after the connection is gone. */
    readonly client: Client
    /** Its address: in limits by `limitKeyOf`, as evidence whole (M50). Fastify's own `ip` may be any text of a header, and is not read. */
    readonly clientAddress: string
  }
}

/** What a request without a connection has, in tests and after it broke. */
const NO_ADDRESS = '0.0.0.0'

/** More proxies than any chain has. Entries before them are not read. */
const MAX_HOPS = 32

/**
 * The caller's address (M50). Only a trusted proxy is believed, and only about its own neighbour: the entries of `X-Forwarded-For` are read from the
 * last to the first, as long as each is a trusted proxy itself. An entry that is no address is a client that its proxy hides: then the proxy's own
 * address counts.
 */
export function readClient(connected: string, forwarded: string, isTrusted: (address: string) => boolean): Client {
  let address = parseAddress(connected) ?? NO_ADDRESS
  let end = forwarded.length
  for (let hop = 0; hop < MAX_HOPS && isTrusted(address); hop++) {
    const [entry, start] = lastEntry(forwarded, end)
    if (entry === null) return { address, isNamed: true }
    const next = parseAddress(entry)
    if (next === null) return { address, isNamed: false }
    address = next
    end = start
  }
  return { address, isNamed: true }
}

/** The last entry before `end` that is not empty (RFC 9110 §5.6.1), and where it starts. */
const lastEntry = (list: string, end: number): readonly [entry: string | null, start: number] => {
  for (let behind = end; behind > 0; ) {
    const comma = list.lastIndexOf(',', behind - 1)
    const entry = list.slice(comma + 1, behind).trim()
    if (entry !== '') return [entry, Math.max(comma, 0)]
    behind = comma
  }
  return [null, 0]
}

const forwardedFor = ({ headers }: IncomingMessage): string => {
  const given = headers['x-forwarded-for']
  return Array.isArray(given) ? given.join(',') : (given ?? '')
}

/** Gives every request its client. */
export const clientAddress = fp<Readonly<{ trustProxy: string }>>(
  async (app, { trustProxy }) => {
    const isTrusted = trustedNetworks(trustProxy)
    app.decorateRequest('ownClient', null)
    app.decorateRequest('client', {
      getter(this: FastifyRequest) {
        this.ownClient ??= readClient(this.raw.socket.remoteAddress ?? '', forwardedFor(this.raw), isTrusted)
        return this.ownClient
      },
    })
    app.decorateRequest('clientAddress', {
      getter(this: FastifyRequest) {
        return this.client.address
      },
    })
  },
  { name: 'client-address' },
)
