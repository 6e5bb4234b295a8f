import { entriesUpTo } from '@tidings/async'
import { LRUCache } from 'lru-cache'
import type { Resolve } from './resolvers.ts'
import { createScopes } from './scopes.ts'

/** The name could not be looked up, which says nothing about where it leads. Asking again before `retryInMs` asks no server. */
export class Unresolved extends Error {
  override readonly name = 'Unresolved'
  readonly retryInMs: number

  constructor(message: string, { retryInMs = RETRY_MS, cause }: Readonly<{ retryInMs?: number; cause?: unknown }> = {}) {
    super(message, { cause })
    this.retryInMs = retryInMs
  }
}

export type NameLookups = Readonly<{
  /** Every address of a name. `scope`: who asks (a workspace); look-ups of one scope wait for each other only. Throws `Unresolved`. */
  addressesOf: (host: string, scope: string) => Promise<readonly string[]>
}>

/** `now`: monotonic ms. */
export type NameLookupsOptions = Readonly<{ resolve: Resolve; now: () => number }>

/** The pause after a first failure; each further one in a row doubles it, up to the most. */
const RETRY_MS = 30_000
const MAX_RETRY_MS = 300_000
const MAX_FAILED = 10_000
/** Limits of one scope: so many look-ups run at once, and so many more may wait for them. */
const AT_ONCE = 4
const MAX_WAITING = 64

type Failed = Readonly<{ until: number; retryMs: number }>

/**
 * Look-ups of names from outside. Scopes cannot delay each other: a silent name server occupies places of the scope that uses it, and is not
 * asked again for a time that doubles with each failure.
 */
export function createNameLookups({ resolve, now }: NameLookupsOptions): NameLookups {
  const failed = new LRUCache<string, Failed>(entriesUpTo(MAX_FAILED))
  const scopes = createScopes({ atOnce: AT_ONCE, maxWaiting: MAX_WAITING })

  const failure = (host: string, key: string, cause: unknown): Unresolved => {
    const retryMs = Math.min((failed.get(key)?.retryMs ?? RETRY_MS / 2) * 2, MAX_RETRY_MS)
    failed.set(key, { until: now() + retryMs, retryMs })
    return new Unresolved(`the name ${host} could not be looked up`, { retryInMs: retryMs, cause })
  }

  return {
    addressesOf: async (host, scope) => {
      const key = `${scope} ${host}`
      const waitMs = (failed.get(key)?.until ?? 0) - now()
      if (waitMs > 0) throw new Unresolved(`the name ${host} could not be looked up a moment ago`, { retryInMs: waitMs })
      const leave = await scopes.enter(scope)
      if (leave === null) throw new Unresolved(`the name ${host} was not looked up: too many others are`)
      try {
        const addresses = await resolve(host)
        failed.delete(key)
        return addresses
      } catch (error) {
        throw failure(host, key, error)
      } finally {
        leave()
      }
    },
  }
}
