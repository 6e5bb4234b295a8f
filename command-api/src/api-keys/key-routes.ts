import { type AskedBy, managesApiKeys } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'

/** Every route that manages keys asks for a session, allows 20 requests a minute (N562), and then checks the role. */
export const keyRoute = { access: 'session', role: managesApiKeys, throttle: 20, dashboard: { role: 'admin' } } as const

/** The longest user agent that an audit keeps. */
const MAX_AGENT = 512

/** The caller and its address, for the audit of keys. */
export function askedBy({ user, ip, headers }: Pick<FastifyRequest, 'user' | 'ip' | 'headers'>): AskedBy {
  return { userId: user?.userId ?? null, ip, userAgent: headers['user-agent']?.slice(0, MAX_AGENT) ?? null }
}
