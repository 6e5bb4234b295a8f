import { lookup, Resolver } from 'node:dns/promises'

/** Every address of a name; none where the name has none. Rejects when nobody could be asked. */
export type Resolve = (host: string) => Promise<readonly string[]>

const NONE = new Set(['ENOTFOUND', 'ENODATA'])
const TIMEOUT_MS = 2_000

const noneOr = (error: NodeJS.ErrnoException): readonly string[] => {
  if (NONE.has(error.code ?? '')) return []
  throw error
}

/** As the machine resolves names, its hosts file included. */
export const resolveBySystem: Resolve = async (host) => {
  const found = await lookup(host, { all: true }).catch(noneOr)
  return found.map((one) => (typeof one === 'string' ? one : one.address))
}

/** By the given DNS servers (`address[:port]`) alone. */
export const resolveByServers = (servers: readonly string[]): Resolve => {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 })
  resolver.setServers(servers)
  return async (host) => {
    const answers = await Promise.all([resolver.resolve4(host).catch(noneOr), resolver.resolve6(host).catch(noneOr)])
    return answers.flat()
  }
}
