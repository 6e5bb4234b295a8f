import { isPromise } from '@tidings/async'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { addAdmissionCheck } from '../admission.ts'
import { presentedKeyHash } from '../auth/presented-key.ts'
import { limitKeyOf } from '../client/parse-address.ts'
import type { Hit, RateCounters } from './counters.ts'
import { limitRefused } from './limit-refused.ts'
import { tooMany } from './too-many.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The buckets were asked: a large body asks them before it is read, and they must not count it twice. */
    counted: boolean
  }
}

/** Requests a minute; `off` switches the bucket off, headers included. `default: 'off'` lifts what routes set themselves, too. */
export type RateLimits = Readonly<{ default: number | 'off'; key: number | 'off'; forms: number | 'off' }>

type Bucket = Readonly<{ counters: RateCounters; limit: number; suffix: '' | '-tenant'; keyOf: (request: FastifyRequest) => string }>
type Done = (error?: Error) => void

/** A blocked bucket leaves only its Retry-After; headers of buckets before it stay (docs/reference/rules.md#order-of-checks). */
const settle = (reply: FastifyReply, { limit, suffix }: Bucket, hit: Hit): Error | undefined => {
  if (hit.blocked) return tooMany(suffix, hit.retryAfterSeconds)
  reply.raw.setHeader(`X-RateLimit-Limit${suffix}`, limit)
  reply.raw.setHeader(`X-RateLimit-Remaining${suffix}`, hit.remaining)
  reply.raw.setHeader(`X-RateLimit-Reset${suffix}`, hit.resetSeconds)
  return undefined
}

/** Asks one bucket after the other, from `index` on; the first that is full ends it. */
const pass = (request: FastifyRequest, reply: FastifyReply, way: Readonly<{ buckets: readonly Bucket[]; index: number; done: Done }>) => {
  const { buckets, done } = way
  for (let index = way.index; index < buckets.length; index++) {
    const bucket = buckets[index]!
    const hit = bucket.counters.hit(bucket.keyOf(request), bucket.limit)
    if (isPromise(hit)) {
      hit.then((later) => {
        const refusal = settle(reply, bucket, later)
        if (refusal === undefined) pass(request, reply, { buckets, index: index + 1, done })
        else done(refusal)
      }, done)
      return
    }
    const refusal = settle(reply, bucket, hit)
    if (refusal !== undefined) return done(refusal)
  }
  done()
}

const limitOf = (route: RouteOptions, limits: RateLimits): number | 'off' => {
  const own = route.config?.throttle
  if (own === 'forms') return limits.forms
  return typeof own === 'number' && limits.default !== 'off' ? own : limits.default
}

/** HEAD is the same handler as GET, so it is the same counter. */
const routeKey = (route: RouteOptions): string => `${[route.method].flat().join().replace('HEAD', 'GET')} ${route.url}`

type RateLimitOptions = Readonly<{ limits: RateLimits; counters: Readonly<{ route: RateCounters; key: RateCounters }> }>

const bucketsOf = (route: RouteOptions, { limits, counters }: RateLimitOptions): readonly Bucket[] => {
  const limit = limitOf(route, limits)
  const prefix = routeKey(route)
  const byRoute = {
    counters: counters.route,
    suffix: '',
    keyOf: (request: FastifyRequest) => `${prefix} ${limitKeyOf(request.clientAddress)}`,
  } as const
  const byKey = {
    counters: counters.key,
    suffix: '-tenant',
    keyOf: (request: FastifyRequest) => presentedKeyHash(request) ?? limitKeyOf(request.clientAddress),
  } as const
  return [...(limit === 'off' ? [] : [{ ...byRoute, limit }]), ...(limits.key === 'off' ? [] : [{ ...byKey, limit: limits.key }])]
}

/**
 * Both buckets, before authentication: the default one counts the caller's address on this route, the tenant one the presented key
 * over all routes, or the address where no key is presented (G3).
 */
export const rateLimits = fp<RateLimitOptions>(
  async (app, options) => {
    app.decorateRequest('counted', false)
    app.decorateRequest('keyHash', null)
    const refused = options.limits.default === 'off' ? undefined : limitRefused(options.limits.default)
    app.addHook('onRoute', (route) => {
      if (route.config?.throttle === false) return
      if (route.config?.throttle === 'refused') return refused?.(route)
      const buckets = bucketsOf(route, options)
      if (buckets.length === 0) return
      addAdmissionCheck(route, (request, reply, done) => {
        if (request.counted) return done()
        request.counted = true
        pass(request, reply, { buckets, index: 0, done })
      })
    })
  },
  { name: 'rate-limits', dependencies: ['admission'] },
)
