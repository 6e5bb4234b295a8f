import { Refused } from '@tidings/domain'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalidCredentials, missingCredentials } from '../errors/problems.ts'
import { addGate } from '../gates.ts'
import { isPromise, type MaybePromise } from '../maybe-promise.ts'
import type { RouteConfig } from '../route-config.ts'
import { isUuid } from '../validation/string-rule.ts'
import { presentedKeyHash } from './presented-key.ts'
import type { ApiKeyRecord, Credentials, Tenant, WorkspaceRecord } from './tenant.ts'

const KEY = /^sk_evt_[0-9a-f]{64}$/i
const SLUG = /^[a-z0-9-]{1,24}$/

/** `onAuthenticated` hears of every key that was accepted, to stamp when it was last used. */
export type Authentication = Readonly<{ credentials: Credentials; onAuthenticated?: (tenant: Tenant) => void }>

const then = <A, B>(value: MaybePromise<A>, next: (value: A) => MaybePromise<B>): MaybePromise<B> =>
  isPromise(value) ? value.then(next) : next(value)

/** A text that is neither a slug nor a UUID names nobody, and nobody is asked. */
const findWorkspace = (credentials: Credentials, reference: string): MaybePromise<WorkspaceRecord | null> => {
  if (isUuid(reference)) return credentials.findWorkspace(reference.toLowerCase())
  return SLUG.test(reference) ? credentials.findWorkspace(reference) : null
}

const decide = (key: ApiKeyRecord, workspace: WorkspaceRecord | null, config: RouteConfig): Tenant => {
  if (workspace === null && config.tellsUnknownTenant) throw new Refused('workspace_not_found')
  if (workspace === null || workspace.workspaceId !== key.workspaceId) throw invalidCredentials()
  if (workspace.status !== 'active' && !config.anyWorkspaceStatus) throw new Refused('workspace_not_active')
  return { workspaceId: workspace.workspaceId, slug: workspace.slug, keyId: key.keyId, status: workspace.status }
}

/** Who the header pair of a request stands for; throws the 401, 403 or 404 of the contract (contract: Authentication; G2, G35). */
export const authenticate = (request: FastifyRequest, credentials: Credentials, config: RouteConfig): MaybePromise<Tenant> => {
  const reference = request.headers['x-sender-tenant']
  const key = request.headers['x-api-key']
  const hash = presentedKeyHash(request)
  if (typeof reference !== 'string' || reference === '' || hash === null) throw missingCredentials()
  if (typeof key !== 'string' || !KEY.test(key)) throw invalidCredentials()
  return then(credentials.findKey(hash), (record) => {
    if (record === null || record.status !== 'active') throw invalidCredentials()
    return then(findWorkspace(credentials, reference), (workspace) => decide(record, workspace, config))
  })
}

/**
 * Authenticates every route that does not say `access: 'open'`, before anything of it is validated. A large body asks once more when it
 * has come in: the key may have been revoked meanwhile.
 */
export const requireKeys = (app: FastifyInstance, { credentials, onAuthenticated }: Authentication): void => {
  app.addHook('onRoute', (route) => {
    const config = route.config ?? {}
    if (config.access === 'open') return
    const admit = (request: FastifyRequest, tenant: Tenant): void => {
      request.tenant = tenant
      onAuthenticated?.(tenant)
    }
    addGate(route, (request, _reply, done) => {
      try {
        const tenant = authenticate(request, credentials, config)
        if (isPromise(tenant)) tenant.then((found) => admit(request, found)).then(() => done(), done)
        else {
          admit(request, tenant)
          done()
        }
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    })
  })
}
