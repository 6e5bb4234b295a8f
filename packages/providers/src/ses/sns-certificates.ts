import { type KeyObject, X509Certificate } from 'node:crypto'
import { type Answer, createCaller, createOriginGuard } from '@tidings/outbound-http'
import { LRUCache } from 'lru-cache'

/** A report that cannot be judged now: its sender asks again. */
export class SnsAway extends Error {
  override readonly name = 'SnsAway'
}

const KEEP_MS = 24 * 3_600_000
const MAX_CERTIFICATES = 20
const MINUTE_MS = 60_000
/** Certificates that are fetched at one time, and for one address of a caller in a minute: a stranger can name a certificate too. */
const MAX_FETCHES = 8
const MAX_FETCHES_OF_ONE = 5
const MAX_CALLERS = 10_000
const CALL_MS = 10_000

export type SnsServer = Readonly<{
  /** The public key of the certificate at that path; null where there is none that can be used. Throws `SnsAway`. `caller`: for whom it is fetched. */
  keyOf: (path: string, caller: string) => Promise<KeyObject | null>
  /** Asks for a path. Throws where no answer comes. */
  get: (path: string) => Promise<Answer>
}>

/** The SNS server of a topic. It is asked for nothing but its own origin, and no redirect is followed. */
export function createSnsServer(origin: string): SnsServer {
  const keys = new LRUCache<string, KeyObject>({ max: MAX_CERTIFICATES, ttl: KEEP_MS, ttlResolution: MINUTE_MS })
  const fetching = new Map<string, Promise<KeyObject | null>>()
  const fetches = new LRUCache<string, number>({ max: MAX_CALLERS, ttl: MINUTE_MS, noUpdateTTL: true, ttlResolution: 0 })
  // A call a day keeps no connection.
  const get = async (path: string): Promise<Answer> => {
    const caller = createCaller({ guard: createOriginGuard(origin), timeoutMs: CALL_MS, connections: 1 })
    return await caller.ask({ scope: '', lane: '', url: `${origin}${path}`, headers: {} }).finally(caller.close)
  }

  const fetch = async (path: string): Promise<KeyObject | null> => {
    const answer = await get(path).catch(() => {
      throw new SnsAway('the certificate cannot be fetched')
    })
    if (answer.status >= 500 || answer.status === 429) throw new SnsAway('the certificate cannot be fetched')
    const key = answer.status === 200 ? keyIn(answer.body) : null
    if (key !== null) keys.set(path, key)
    return key
  }

  return {
    keyOf: async (path, asker) => {
      const known = keys.get(path)
      if (known !== undefined) return known
      const begun = fetching.get(path)
      if (begun !== undefined) return await begun
      const count = (fetches.get(asker) ?? 0) + 1
      if (count > MAX_FETCHES_OF_ONE || fetching.size >= MAX_FETCHES) throw new SnsAway('too many certificates are asked for')
      fetches.set(asker, count)
      const fetched = fetch(path).finally(() => fetching.delete(path))
      fetching.set(path, fetched)
      return await fetched
    },
    get,
  }
}

/** The key of a certificate that is valid now; null for another one. */
function keyIn(body: Buffer | null): KeyObject | null {
  try {
    const { validFromDate, validToDate, publicKey } = new X509Certificate(body ?? '')
    const now = Date.now()
    const isValid = validFromDate.getTime() <= now && now < validToDate.getTime()
    return isValid && publicKey.asymmetricKeyType === 'rsa' ? publicKey : null
  } catch {
    return null
  }
}
