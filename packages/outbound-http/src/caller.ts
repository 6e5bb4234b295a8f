import { isIP, type LookupFunction } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { Dispatcher, Pool } from 'undici'
import type { Guard } from './guard.ts'

/** `lane`: calls of one lane share connections, and wait for each other's; of others never. `headers` beside those that the client sets. */
export type Post = Readonly<{ lane: string; url: string; headers: Readonly<Record<string, string>>; body: Buffer; signal?: AbortSignal }>

/** What the server answered; its body was thrown away. */
export type Answered = Readonly<{ status: number }>

/** The call brought no answer. The message names no secret: a code of the network, or that the time was over. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed'
}

export type Caller = Readonly<{
  /** Checks the URL and posts to the address that passed. Throws `CallFailed`, and what the guard throws. */
  post: (post: Post) => Promise<Answered>
  close: () => Promise<void>
}>

/** `timeoutMs`: from the look-up to the end of the answer. `connections`: of one lane, at most. */
export type CallerOptions = Readonly<{ guard: Guard; timeoutMs: number; connections: number }>

/** Lanes with connections kept open: what is called least recently is closed. A connection costs about 30 KB. */
const MAX_LANES = 1_024
/** Of an answer that nobody reads: a little more may come and the connection stays; beyond, it is cheaper to drop it. */
const MAX_BODY_BYTES = 16 * 1024

let client: Promise<typeof import('undici')> | undefined

/** With the first call: its modules are megabytes that a service without webhooks never needs. */
const loadClient = (): Promise<typeof import('undici')> => {
  client ??= import('undici')
  return client
}

/** Posts to public servers only, and never to a place that a redirect names. */
export const createCaller = ({ guard, timeoutMs, connections }: CallerOptions): Caller => {
  const pools = new LRUCache<string, Pool>({ max: MAX_LANES, dispose: (pool) => void pool.close() })

  const poolOf = async (lane: string, origin: string, addresses: readonly string[]): Promise<Pool> => {
    const name = `${lane} ${origin} ${nameOf(addresses)}`
    const { Pool } = await loadClient()
    const known = pools.get(name)
    if (known) return known
    const pool = new Pool(origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: 4_000,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: { timeout: timeoutMs, lookup: pinnedTo(addresses) },
    })
    pools.set(name, pool)
    return pool
  }

  const send = async ({ lane, url, headers, body }: Post, signal: AbortSignal): Promise<Answered> => {
    const { target, addresses } = await guard.check(url)
    signal.throwIfAborted()
    const path = target.href.slice(target.origin.length).replace(/#.*$/s, '')
    const pool = await poolOf(lane, target.origin, addresses)
    const answer = await pool.request({ method: 'POST', path, headers, body, signal })
    await discard(answer, signal)
    return { status: answer.statusCode }
  }

  return {
    post: async (post) => {
      // One timer, and not AbortSignal.any with a timeout: those two cost as much as the rest of the call.
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), timeoutMs)
      const stop = () => late.abort()
      post.signal?.addEventListener('abort', stop)
      try {
        return await send(post, late.signal)
      } catch (error) {
        throw failure(error, late.signal)
      } finally {
        clearTimeout(timer)
        post.signal?.removeEventListener('abort', stop)
      }
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

/** A status is an answer, whatever becomes of its body; only the time is looked at. */
const discard = async ({ body }: Dispatcher.ResponseData, signal: AbortSignal): Promise<void> => {
  await body.dump({ limit: MAX_BODY_BYTES, signal })
}

/** Gives the socket only addresses that passed, whatever the name leads to by now. */
const pinnedTo = (addresses: readonly string[]): LookupFunction => {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, done) => {
    if (options.all) done(null, all)
    else done(null, all[0]?.address ?? '', all[0]?.family)
  }
}

const failure = (error: unknown, signal: AbortSignal): unknown => {
  if (error instanceof Error && (error.name === 'Blocked' || error.name === 'Unresolved')) return error
  if (signal.aborted) return new CallFailed('no answer in time')
  const { code, cause } = error as Readonly<{ code?: string; cause?: Readonly<{ code?: string }> }>
  return new CallFailed(code ?? cause?.code ?? 'the connection failed', { cause: error })
}
