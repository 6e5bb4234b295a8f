import { isPromise, type MaybePromise, whenKnown } from '@tidings/async'
import { apiKeyKind, isUuid, Refused } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'
import { invalidCredentials, missingCredentials } from '../errors/problems.ts'
import type { RouteConfig } from '../route-config.ts'
import { presentedKeyHash } from './presented-key.ts'
import type { ApiKeyRecord, Credentials, Tenant, WorkspaceRecord } from './tenant.ts'

const KEY = /^(?:sk_evt|pk_evt)_[0-9a-f]{64}$/i
const SLUG = /^[a-z0-9-]{1,24}$/

/** The tenant that the header pair names, or the reason why it names none. */
export type Identity = Readonly<{ tenant: Tenant }> | UnknownCaller
export type UnknownCaller = Readonly<{ error: Error }>

/** Identifies the caller of a route of this kind by the header pair. Errors: the 401 or 404 of the contract (Authentication; G2), or a failed look-up. */
export function identify(request: FastifyRequest, credentials: Credentials, config: RouteConfig): MaybePromise<Identity> {
  try {
    const tenant = tenantOf(request, credentials, config)
    return isPromise(tenant) ? tenant.then(known, unknown) : known(tenant)
  } catch (error) {
    return unknown(error)
  }
}

const known = (tenant: Tenant): Identity => ({ tenant })
const unknown = (error: unknown): Identity => ({ error: error instanceof Error ? error : new Error(String(error)) })

const tenantOf = (request: FastifyRequest, credentials: Credentials, config: RouteConfig): MaybePromise<Tenant> => {
  const reference = request.headers['x-sender-tenant']
  const key = request.headers['x-api-key']
  const hash = presentedKeyHash(request)
  if (typeof reference !== 'string' || reference === '' || hash === null) throw missingCredentials()
  if (typeof key !== 'string' || !KEY.test(key)) throw invalidCredentials()
  const isPublishable = apiKeyKind(key) === 'publishable'
  if (isPublishable && !config.publishable) throw invalidCredentials()
  return whenKnown(credentials.findKey(hash), (record) => {
    if (record === null || record.status !== 'active') throw invalidCredentials()
    return whenKnown(findWorkspaceByName(credentials, reference), (workspace) => ({
      ...tenantFor(record, workspace, config),
      ...(isPublishable && { isPublishable }),
    }))
  })
}

/** A text that is neither a slug nor a UUID names no workspace, and is not looked up. */
export function findWorkspaceByName(
  { findWorkspace }: Pick<Credentials, 'findWorkspace'>,
  reference: string,
): MaybePromise<WorkspaceRecord | null> {
  if (isUuid(reference)) return findWorkspace(reference.toLowerCase())
  return SLUG.test(reference) ? findWorkspace(reference) : null
}

const tenantFor = (key: ApiKeyRecord, workspace: WorkspaceRecord | null, config: RouteConfig): Tenant => {
  if (workspace === null && config.tellsUnknownTenant) throw new Refused('workspace_not_found')
  if (workspace === null || workspace.workspaceId !== key.workspaceId) throw invalidCredentials()
  return { workspaceId: workspace.workspaceId, slug: workspace.slug, keyId: key.keyId, status: workspace.status }
}
