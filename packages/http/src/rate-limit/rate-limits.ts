import { isPromise, type MaybePromise, whenKnown } from '@tidings/async'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { addAdmissionCheck } from '../admission.ts'
import { identify, type UnknownCaller } from '../auth/identify.ts'
import { presentedKeyHash } from '../auth/presented-key.ts'
import type { Credentials } from '../auth/tenant.ts'
import { limitKeyOf } from '../client/parse-address.ts'
import { invalidSignature } from '../errors/problems.ts'
import type { SignatureHeader } from '../route-config.ts'
import type { Hit, RateCounters } from './counters.ts'
import { memoryCounters } from './memory-counters.ts'
import { tooMany } from './too-many.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The buckets were asked: a large body asks them before it is read, and they must not count it twice. */
    counted: boolean
    /** Why the header pair stands for no workspace, as the limits found out: a key that is unknown is a query each time. */
    unidentified: UnknownCaller | null
  }
}

/** Requests a minute; `off` switches the bucket off, headers included. `default: 'off'` lifts what routes set themselves, too. */
export type RateLimits = Readonly<Record<'default' | 'key' | 'forms', number | 'off'> & { session?: number | 'off' }>

type Bucket = Readonly<{
  counters: RateCounters
  limit: number
  suffix: '' | '-tenant'
  keyOf: (request: FastifyRequest) => MaybePromise<string>
}>
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
    const hit = whenKnown(bucket.keyOf(request), (key) => bucket.counters.hit(key, bucket.limit))
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

/** Counts a request for its session, in the bucket of all that one asks of the dashboard. Rejects with 429. */
export type CountSession = (request: FastifyRequest, reply: FastifyReply, key: string) => Promise<void>

/** Such a bucket stands in place of both others (M72). */
export function sessionLimit({ session: limit = 'off' }: RateLimits, counters: RateCounters): CountSession {
  return async (request, reply, key) => {
    if (limit === 'off' || request.counted) return
    request.counted = true
    const refusal = settle(reply, { counters, limit, suffix: '', keyOf: () => key }, await counters.hit(key, limit))
    if (refusal !== undefined) throw refusal
  }
}

/** HEAD is the same handler as GET, so it is the same counter. */
const routeKey = (route: RouteOptions): string => `${[route.method].flat().join().replace('HEAD', 'GET')} ${route.url}`

type RateLimitOptions = Readonly<{
  limits: RateLimits
  counters: Readonly<{ route: RateCounters; key: RateCounters }>
  credentials: Credentials
}>

/**
 * The tenant bucket counts these requests together: those of a key, and of a publishable one, which anyone may have, those of one address with it. What no key
 * of the workspace opens counts for its address: a caller who knows a key must not use up the requests of others (G3, M63).
 */
const callerOf = (route: RouteOptions, credentials: Credentials) => {
  const config = route.config ?? {}
  return (request: FastifyRequest): MaybePromise<string> => {
    const address = limitKeyOf(request.clientAddress)
    const hash = presentedKeyHash(request)
    if (hash === null || (config.access ?? 'key') !== 'key') return address
    return whenKnown(identify(request, credentials, config), (identity) => {
      if (!('error' in identity)) return identity.tenant.isPublishable ? `${hash} ${address}` : hash
      request.unidentified = identity
      return address
    })
  }
}

const bucketsOf = (route: RouteOptions, { limits, counters, credentials }: RateLimitOptions): readonly Bucket[] => {
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
    keyOf: callerOf(route, credentials),
  } as const
  return [...(limit === 'off' ? [] : [{ ...byRoute, limit }]), ...(limits.key === 'off' ? [] : [{ ...byKey, limit: limits.key }])]
}

/**
 * Both buckets, before authentication: the default one counts the caller's address on this route, the tenant one the key that opens it
 * over all routes, or the address where none does (G3). A full one is 429 for a wrong key too.
 */
export const rateLimits = fp<RateLimitOptions>(
  async (app, options) => {
    app.decorateRequest('counted', false)
    app.decorateRequest('keyHash', null)
    app.decorateRequest('unidentified', null)
    const unsigned = limitUnsigned(options.limits.default)
    app.addHook('onRoute', (route) => {
      if (route.config?.signature !== undefined) return unsigned(route, route.config.signature)
      if (route.config?.throttle === false || route.config?.door) return
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

/**
 * For routes whose caller a signature proves: a request without one that could be right is 401 before its body is read, and over `limit` of these in a
 * minute of one address, counted over all such routes of this process, 429. One that may be right is never refused for what others sent from the same
 * address: a provider's callbacks come from addresses that strangers use too.
 */
function limitUnsigned(limit: number | 'off') {
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
