import { entriesUpTo } from '@tidings/async'
import { LRUCache } from 'lru-cache'
import type { Resolve } from './resolvers.ts'

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

/** `atOnce`: how many of one scope are inside together. `maxWaiting`: how many more of it may wait. */
type ScopesOptions = Readonly<{ atOnce: number; maxWaiting: number }>

type Scopes = Readonly<{
  /** Waits for a place in the scope; gives what leaves it again, or null at once when too many wait already. */
  enter: (scope: string) => Promise<(() => void) | null>
}>

type Room = { inside: number; readonly waiting: (() => void)[] }

/** A semaphore for each scope; a scope that is empty takes no memory. */
function createScopes({ atOnce, maxWaiting }: ScopesOptions): Scopes {
  const rooms = new Map<string, Room>()

  const leave = (scope: string, room: Room): void => {
    const next = room.waiting.shift()
    if (next) next()
    else if (--room.inside === 0) rooms.delete(scope)
  }

  return {
    enter: async (scope) => {
      const room = rooms.get(scope) ?? { inside: 0, waiting: [] }
      rooms.set(scope, room)
      if (room.inside < atOnce) room.inside++
      else if (room.waiting.length >= maxWaiting) return null
      else await new Promise<void>((entered) => room.waiting.push(entered))
      return () => leave(scope, room)
    },
  }
}
