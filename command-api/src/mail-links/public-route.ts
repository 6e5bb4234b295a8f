import type { FastifyRequest } from 'fastify'

/** No key, not throttled, outside the envelope (N10). */
export const publicRoute = { schema: { hide: true }, config: { access: 'open', raw: true, throttle: false } } as const

/** A link is not cached, not sent on as a referrer, and not indexed. */
export const PRIVATE_HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' } as const

/** The parameter `t`, not validated: the token. */
export function tokenOf({ query }: FastifyRequest): unknown {
  return (query as Readonly<Record<string, unknown>>).t
}
