import { isPromise, type MaybePromise } from '@tidings/async'
import { apiKeyKind, Refused } from '@tidings/domain'
import type { FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { addAdmissionCheck } from '../admission.ts'
import { invalidCredentials, missingCredentials } from '../errors/problems.ts'
import type { RouteConfig } from '../route-config.ts'
import { isUuid } from '../validation/string-rule.ts'
import { presentedKeyHash } from './presented-key.ts'
import type { AuthenticateSession } from './session.ts'
import type { ApiKeyRecord, Credentials, Tenant, WorkspaceRecord } from './tenant.ts'

const KEY = /^(?:sk_evt|pk_evt)_[0-9a-f]{64}$/i
const SLUG = /^[a-z0-9-]{1,24}$/

/** `onAuthenticated` hears of every key that was accepted, to stamp when it was last used. Without `sessions` no request has one. */
export type Authentication = Readonly<{
  credentials: Credentials
  onAuthenticated?: (tenant: Tenant) => void
  sessions?: AuthenticateSession
}>

const then = <A, B>(value: MaybePromise<A>, next: (value: A) => MaybePromise<B>): MaybePromise<B> =>
  isPromise(value) ? value.then(next) : next(value)

/** A text that is neither a slug nor a UUID names no workspace, and is not looked up. */
const findWorkspace = (credentials: Credentials, reference: string): MaybePromise<WorkspaceRecord | null> => {
  if (isUuid(reference)) return credentials.findWorkspace(reference.toLowerCase())
  return SLUG.test(reference) ? credentials.findWorkspace(reference) : null
}

const tenantOf = (key: ApiKeyRecord, workspace: WorkspaceRecord | null, config: RouteConfig): Tenant => {
  if (workspace === null && config.tellsUnknownTenant) throw new Refused('workspace_not_found')
  if (workspace === null || workspace.workspaceId !== key.workspaceId) throw invalidCredentials()
  return { workspaceId: workspace.workspaceId, slug: workspace.slug, keyId: key.keyId, status: workspace.status }
}

/** Who the header pair of a request stands for; throws the 401 or 404 of the contract (Authentication; G2). */
const authenticate = (request: FastifyRequest, credentials: Credentials, config: RouteConfig): MaybePromise<Tenant> => {
  const reference = request.headers['x-sender-tenant']
  const key = request.headers['x-api-key']
  const hash = presentedKeyHash(request)
  if (typeof reference !== 'string' || reference === '' || hash === null) throw missingCredentials()
  if (typeof key !== 'string' || !KEY.test(key)) throw invalidCredentials()
  const isPublishable = apiKeyKind(key) === 'publishable'
  if (isPublishable && !config.publishable) throw invalidCredentials()
  return then(credentials.findKey(hash), (record) => {
    if (record === null || record.status !== 'active') throw invalidCredentials()
    return then(findWorkspace(credentials, reference), (workspace) => ({
      ...tenantOf(record, workspace, config),
      ...(isPublishable && { isPublishable }),
    }))
  })
}

const noSessions: AuthenticateSession = async () => {
  throw new Refused('authentication_required')
}

/** The session, then the role (N442). */
const addSessionCheck = (route: RouteOptions, sessions: AuthenticateSession): void => {
  const check = async (request: FastifyRequest): Promise<void> => {
    await sessions(request)
    const { role: isEnough } = route.config ?? {}
    if (isEnough !== undefined && (request.user === null || !isEnough(request.user.role))) throw new Refused('role_required')
  }
  addAdmissionCheck(route, (request, _reply, done) => {
    check(request).then(() => done(), done)
  })
}

/**
 * Authenticates every route that does not say `access: 'open'`, before anything of it is validated. A large body is checked again when it
 * has come in: the key may have been revoked meanwhile.
 */
export const authentication = fp<Authentication>(
  async (app, { credentials, onAuthenticated, sessions = noSessions }) => {
    app.decorateRequest('tenant', null as never)
    app.decorateRequest('user', null)
    // A workspace that is not active refuses (G35), but the key was used: a 403 is no failure to authenticate.
    const accept = (request: FastifyRequest, tenant: Tenant): void => {
      request.tenant = tenant
      onAuthenticated?.(tenant)
      if (tenant.status !== 'active' && !request.routeOptions.config.anyWorkspaceStatus) throw new Refused('workspace_not_active')
    }
    app.addHook('onRoute', (route) => {
      const config = route.config ?? {}
      if (config.access === 'open') return
      if (config.access === 'session') return addSessionCheck(route, sessions)
      addAdmissionCheck(route, (request, _reply, done) => {
        try {
          const tenant = authenticate(request, credentials, config)
          if (isPromise(tenant)) tenant.then((found) => accept(request, found)).then(() => done(), done)
          else {
            accept(request, tenant)
            done()
          }
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)))
        }
      })
    })
  },
  { name: 'authentication', dependencies: ['rate-limits'] },
)
