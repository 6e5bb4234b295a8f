import { isPromise } from '@tidings/async'
import { Refused } from '@tidings/domain'
import type { FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { addAdmissionCheck } from '../admission.ts'
import { type Identity, identify } from './identify.ts'
import type { AuthenticateSession } from './session.ts'
import type { Credentials, Tenant } from './tenant.ts'

/** `onAuthenticated` hears of every key that was accepted, to stamp when it was last used. Without `sessions` no request has one. */
export type Authentication = Readonly<{
  credentials: Credentials
  onAuthenticated?: (tenant: Tenant) => void
  sessions?: AuthenticateSession
}>

const noSessions: AuthenticateSession = async () => {
  throw new Refused('authentication_required')
}

/** The session, then the role (N442). */
const addSessionCheck = (route: RouteOptions, sessions: AuthenticateSession): void => {
  const check = async (request: FastifyRequest): Promise<void> => {
    await sessions(request)
    const { role: isEnough, anyWorkspaceStatus } = route.config ?? {}
    const { user, tenant } = request
    if (user === null) throw new Refused('authentication_required')
    if (isEnough !== undefined && !user.actsAsOperator && !isEnough(user.role)) throw new Refused('role_required')
    // An operator may look into a workspace that is not active; a user's session has ended there.
    const isChange = request.method !== 'GET' && request.method !== 'HEAD'
    if (tenant !== null && tenant.status !== 'active' && isChange && !anyWorkspaceStatus) throw new Refused('workspace_not_active')
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
