import { hash } from 'node:crypto'
import { Refused, type UserRole, type WorkspaceId } from '@tidings/domain'
import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import { limitKeyOf } from '../client/parse-address.ts'
import { findWorkspaceByName } from './identify.ts'
import type { Credentials } from './tenant.ts'

/** A signed-in user. `workspace`: null of a user of the installation. `isOperator`: the session may act on any workspace. */
type SignedInUser = Readonly<{
  workspace: Readonly<{ id: WorkspaceId; slug: string }> | null
  userId: string
  email: string
  role: UserRole
  isOperator: boolean
}>

/** `actsAsOperator`: on a workspace that the request names, or on the installation, and not as a user of the session's workspace. */
type RequestUser = SignedInUser & Readonly<{ actsAsOperator: boolean }>

declare module 'fastify' {
  interface FastifyRequest {
    /** Set with `tenant` where a session authenticates the request, else null. */
    user: RequestUser | null
  }
}

/**
 * Sets `user` and `tenant` of the request; throws 401 without a session, 403 for a page of another origin (M40). `count` hears first what the request counts
 * as: its session, or else its address.
 */
export type AuthenticateSession = (request: FastifyRequest, count?: (key: string) => Promise<void>) => Promise<void>

/**
 * `find`: null where there is no such session, or none any more. `findWorkspace`: by slug or lower-case UUID, for operators. `publicUrl`: null where none
 * is configured.
 */
type SessionParts = Readonly<{
  find: (token: string) => Promise<SignedInUser | null>
  findWorkspace: Credentials['findWorkspace']
  publicUrl: string | null
}>

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

/** Behind the door of the dashboard no page of another site reads either, and what says where it comes from says the truth (M72). */
function comesFromHere(request: Pick<FastifyRequest, 'headers' | 'host'>, publicUrl: string | null): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  return (site === undefined || site === 'same-origin') && (origin === undefined || isOwnOrigin(request, publicUrl))
}

/** Browsers have one session for all their tabs: a page that is still of the workspace before it must not act on the other one (M72). */
function isOfThisPage({ headers }: Pick<FastifyRequest, 'headers'>, { workspace }: SignedInUser): boolean {
  const slug = headers['x-tidings-page']
  return slug === undefined || slug === workspace?.slug
}

/** Authenticates requests by the session that they show. */
export function sessionAuthentication({ find, findWorkspace, publicUrl }: SessionParts): AuthenticateSession {
  return async (request, count) => {
    const { door, dashboard, withoutWorkspace } = request.routeOptions.config
    const shown = shownSession(request)
    const user = shown === null ? null : await find(shown.token)
    await count?.(user === null || shown === null ? limitKeyOf(request.clientAddress) : `session ${hash('sha256', shown.token, 'hex')}`)
    if (shown === null || user === null) throw new Refused('authentication_required')
    if (door && !comesFromHere(request, publicUrl)) throw new Refused('origin_not_allowed')
    if (shown.byCookie && !READING.has(request.method) && !isOwnOrigin(request, publicUrl)) throw new Refused('origin_not_allowed')
    const named = request.headers['x-tidings-workspace']
    if (named !== undefined && !user.isOperator) throw new Refused('workspace_not_chosen')
    if (door && named === undefined && !isOfThisPage(request, user)) throw new Refused('other_workspace_shown')
    const { userId, workspace } = user
    if (named === undefined && workspace !== null) {
      request.user = { ...user, actsAsOperator: user.isOperator && dashboard?.role === 'operator' }
      request.tenant = { workspaceId: workspace.id, slug: workspace.slug, keyId: userId, status: 'active' }
      return
    }
    request.user = { ...user, actsAsOperator: true }
    if (named === undefined && withoutWorkspace) return
    if (typeof named !== 'string' || named === '') throw new Refused('workspace_required')
    const chosen = await findWorkspaceByName({ findWorkspace }, named)
    if (chosen === null) throw new Refused('workspace_not_found')
    request.tenant = { ...chosen, keyId: userId }
  }
}
