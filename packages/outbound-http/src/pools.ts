import { isIP, type LookupFunction } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { Dispatcher, Pool } from 'undici'
import type { Checked } from './guard.ts'

type LoadedClient = Readonly<{ Pool: typeof Pool; connectionTo: (origin: URL, options: object) => Dispatcher }>

let client: Promise<LoadedClient> | undefined

/** Loaded with the first call: its modules are megabytes that a service without webhooks never needs. */
function loadClient(): Promise<LoadedClient> {
  client ??= load()
  return client
}

async function load(): Promise<LoadedClient> {
  const { Client, Pool } = await import('undici')

  /**
   * `dispatch` of undici says that the connection is busy also where it refused the request (a header that it does not take), and a pool then
   * waits for a `drain` that never comes: the connection is lost to it. One that has nothing to do is free.
   */
  class Connection extends Client {
    override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      return super.dispatch(request, handler) || this.stats.size === 0
    }
  }

  return { Pool, connectionTo: (origin, options) => new Connection(origin, options) }
}

/** `timeoutMs`: for a connection to open, and for an answer. `connections`: of one lane, at most. */
export type PoolsOptions = Readonly<{ timeoutMs: number; connections: number }>

/** Connections that stay open, by lane and by where they lead. */
export type Pools = Readonly<{
  /** Leads to the given addresses only; to whatever the system knows the name by where they are null. */
  of: (lane: string, checked: Checked) => Promise<Pool>
  close: () => Promise<void>
}>

/** Lanes with connections kept open: what is called least recently is closed. A connection costs about 30 KB. */
const MAX_LANES = 1_024

export function createPools({ timeoutMs, connections }: PoolsOptions): Pools {
  const pools = new LRUCache<string, Pool>({ max: MAX_LANES, dispose: (pool) => void pool.close() })
  return {
    of: async (lane, { target: { origin }, addresses }) => {
      const name = `${lane} ${origin} ${addresses === null ? '' : nameOf(addresses)}`
      const { Pool, connectionTo } = await loadClient()
      const known = pools.get(name)
      if (known) return known
      const pool = new Pool(origin, {
        connections,
        factory: connectionTo,
        pipelining: 1,
        allowH2: false,
        keepAliveTimeout: 4_000,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        connect: { timeout: timeoutMs, ...(addresses !== null && { lookup: pinnedTo(addresses) }) },
      })
      pools.set(name, pool)
      return pool
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

/** The guard gives the same list again for a while. */
const names = new WeakMap<readonly string[], string>()

const nameOf = (addresses: readonly string[]): string => {
  const known = names.get(addresses)
  if (known !== undefined) return known
  const name = addresses.toSorted().join(' ')
  names.set(addresses, name)
  return name
}

/** Gives the socket only addresses that passed, whatever the name leads to by now. */
const pinnedTo = (addresses: readonly string[]): LookupFunction => {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, done) => {
    if (options.all) done(null, all)
    else done(null, all[0]?.address ?? '', all[0]?.family)
  }
}
