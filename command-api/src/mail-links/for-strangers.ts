import type { FastifyRequest } from 'fastify'

/** Open to everybody, not throttled, outside the envelope (N10). */
export const forStrangers = { schema: { hide: true }, config: { access: 'open', raw: true, throttle: false } } as const

/** Nothing of a link is kept on the way, told to the next page, or found by searching. */
export const PRIVATE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' } as const

/** Whatever came as `t`: the token, or nothing that could be one. */
export const tokenOf = ({ query }: FastifyRequest): unknown => (query as Readonly<Record<string, unknown>>).t
