import { isPromise } from '@tidings/async'
import { Refused } from '@tidings/domain'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { addAdmissionCheck } from '../admission.ts'
import type { CountSession } from '../rate-limit/rate-limits.ts'
import { isEnough, ROLE_REFUSALS } from './dashboard-roles.ts'
import { type Identity, identify } from './identify.ts'
import type { AuthenticateSession } from './session.ts'
import type { Credentials, Tenant } from './tenant.ts'

/** `onAuthenticated` hears of every key that was accepted, to stamp when it was last used. Without `sessions` no request has one. */
export type Authentication = Readonly<{
  credentials: Credentials
  onAuthenticated?: (tenant: Tenant) => void
  sessions?: AuthenticateSession
}>

/** `countSession`: counts a request behind the door of the dashboard; throws 429. */
type AuthenticationOptions = Authentication & Readonly<{ countSession?: CountSession }>

const noSessions: AuthenticateSession = async () => {
  throw new Refused('authentication_required')
}

/** The session, then the role (N442). */
const addSessionCheck = (route: RouteOptions, { sessions = noSessions, countSession }: AuthenticationOptions): void => {
  const { role: mayCall, anyWorkspaceStatus, door, dashboard } = route.config ?? {}
  const check = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await sessions(request, door && countSession ? (key) => countSession(request, reply, key) : undefined)
    const { user, tenant } = request
    if (user === null) throw new Refused('authentication_required')
    if (mayCall !== undefined && !user.actsAsOperator && !mayCall(user.role)) throw new Refused('role_required')
    if (door && dashboard && !user.actsAsOperator && !isEnough(user.role, dashboard.role)) throw new Refused(ROLE_REFUSALS[dashboard.role])
    // An operator may look into a workspace that is not active; a user's session has ended there.
    const isChange = request.method !== 'GET' && request.method !== 'HEAD'
    if (tenant !== null && tenant.status !== 'active' && isChange && !anyWorkspaceStatus) throw new Refused('workspace_not_active')
  }
  addAdmissionCheck(route, (request, reply, done) => {
    check(request, reply).then(() => done(), done)
  })
}

/**
 * Authenticates every route that does not say `access: 'open'`, before anything of it is validated. A large body is checked again when it
 * has come in: the key may have been revoked meanwhile.
 */
export const authentication = fp<AuthenticationOptions>(
  async (app, options) => {
    const { credentials, onAuthenticated } = options
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
      if (config.access === 'session') return addSessionCheck(route, options)
      addAdmissionCheck(route, (request, _reply, done) => {
        const settle = (identity: Identity): void => {
          try {
            if ('error' in identity) throw identity.error
            accept(request, identity.tenant)
            done()
          } catch (error) {
            done(error instanceof Error ? error : new Error(String(error)))
          }
        }
        const identity = request.unidentified ?? identify(request, credentials, config)
        if (isPromise(identity)) identity.then(settle, done)
        else settle(identity)
      })
    })
  },
  { name: 'authentication', dependencies: ['rate-limits'] },
)
