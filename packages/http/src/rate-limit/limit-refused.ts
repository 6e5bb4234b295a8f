import type { RouteOptions } from 'fastify'
import { limitKeyOf } from '../client/parse-address.ts'
import { memoryCounters } from './memory-counters.ts'
import { tooMany } from './too-many.ts'

const UNAUTHORIZED = 401

/**
 * For a route whose caller a signature proves: what it refuses with 401 counts for the address, and over `limit` in a minute every request of that
 * address is 429 before its body is read or a signature computed. A caller who signs is never counted, so a provider may call as often as it likes. The
 * routes share their counts, which are of this process.
 */
export function limitRefused(limit: number) {
  const counters = memoryCounters({ maxKeys: 10_000 })
  return (route: RouteOptions): void => {
    route.onRequest = [
      ...[route.onRequest ?? []].flat(),
      (request, _reply, done) => {
        const seconds = counters.blockedFor(limitKeyOf(request.clientAddress))
        done(seconds === 0 ? undefined : tooMany('', seconds))
      },
    ]
    route.onResponse = [
      ...[route.onResponse ?? []].flat(),
      (request, reply, done) => {
        if (reply.statusCode === UNAUTHORIZED) void counters.hit(limitKeyOf(request.clientAddress), limit)
        done()
      },
    ]
  }
}
