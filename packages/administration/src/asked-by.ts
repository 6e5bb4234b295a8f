import type { AskedBy } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'

/** The longest user agent that an audit keeps. */
const MAX_AGENT = 512

/** The caller and its address, for the audit of keys. */
export function askedBy({ user, ip, headers }: Pick<FastifyRequest, 'user' | 'ip' | 'headers'>): AskedBy {
  return { userId: user?.userId ?? null, ip, userAgent: headers['user-agent']?.slice(0, MAX_AGENT) ?? null }
}
