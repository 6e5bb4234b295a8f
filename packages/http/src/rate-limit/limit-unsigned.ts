import type { RouteOptions } from 'fastify'
import { limitKeyOf } from '../client/parse-address.ts'
import { invalidSignature } from '../errors/problems.ts'
import type { SignatureHeader } from '../route-config.ts'
import { memoryCounters } from './memory-counters.ts'
import { tooMany } from './too-many.ts'

/**
 * For routes whose caller a signature proves: a request without one that could be right is 401 before its body is read, and over `limit` of these in a
 * minute of one address, counted over all such routes of this process, 429. One that may be right is never refused for what others sent from the same
 * address: a provider's callbacks come from addresses that strangers use too.
 */
export function limitUnsigned(limit: number | 'off') {
  const counters = memoryCounters({ maxKeys: 10_000 })
  return (route: RouteOptions, { header, form }: SignatureHeader): void => {
    route.onRequest = [
      ...[route.onRequest ?? []].flat(),
      (request, _reply, done) => {
        const given = request.headers[header]
        if (typeof given === 'string' && form.test(given)) return done()
        if (limit === 'off') return done(invalidSignature())
        const hit = counters.hit(limitKeyOf(request.clientAddress), limit)
        done(hit.blocked ? tooMany('', hit.retryAfterSeconds) : invalidSignature())
      },
    ]
  }
}
