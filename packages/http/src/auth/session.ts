import { Refused, type UserRole, type WorkspaceId } from '@tidings/domain'
import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'

/** A signed-in user and their workspace. */
type SignedInUser = Readonly<{ workspaceId: WorkspaceId; slug: string; userId: string; email: string; role: UserRole }>

declare module 'fastify' {
  interface FastifyRequest {
    /** Set with `tenant` where a session authenticates the request, else null. */
    user: SignedInUser | null
  }
}

/** Sets `user` and `tenant` of the request; throws 401 without a session, 403 for a page of another origin (M40). */
export type AuthenticateSession = (request: FastifyRequest) => Promise<void>

/** `find`: null where there is no such session, or none any more. `publicUrl`: null where none is configured. */
type SessionParts = Readonly<{ find: (token: string) => Promise<SignedInUser | null>; publicUrl: string | null }>

export const SESSION_COOKIE = 'sender_session'

const READING = new Set(['GET', 'HEAD'])

/** What the request shows of a session; a browser sends the cookie by itself, so a page of anybody may have caused it. */
export type ShownSession = Readonly<{ token: string; byCookie: boolean }>

/** Null without one. A token in `Authorization` is the caller's word: no cookie is looked at then. */
export function shownSession({ headers }: Pick<FastifyRequest, 'headers'>): ShownSession | null {
  const { authorization, cookie } = headers
  if (authorization !== undefined) {
    const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
    return token === undefined ? null : { token, byCookie: false }
  }
  const token = cookie === undefined ? undefined : parseCookie(cookie)[SESSION_COOKIE]
  return token === undefined ? null : { token, byCookie: true }
}

/**
 * Whether the request comes from a page of this service: of the public address where one is configured, else of the host that the request
 * names. A browser lets no page choose either.
 */
export function isOwnOrigin({ headers, host }: Pick<FastifyRequest, 'headers' | 'host'>, publicUrl: string | null): boolean {
  const { origin } = headers
  if (origin === undefined || !URL.canParse(origin)) return false
  return publicUrl === null ? new URL(origin).host === host.toLowerCase() : origin === new URL(publicUrl).origin
}

/** Authenticates requests by the session that they show. */
export function sessionAuthentication({ find, publicUrl }: SessionParts): AuthenticateSession {
  return async (request) => {
    const shown = shownSession(request)
    const user = shown === null ? null : await find(shown.token)
    if (shown === null || user === null) throw new Refused('authentication_required')
    if (shown.byCookie && !READING.has(request.method) && !isOwnOrigin(request, publicUrl)) throw new Refused('origin_not_allowed')
    const { workspaceId, slug, userId } = user
    request.user = user
    request.tenant = { workspaceId, slug, keyId: userId, status: 'active' }
  }
}
