import type { ApiRefusalCode } from '@tidings/domain'
import { ROLE_REFUSALS } from '../auth/dashboard-roles.ts'
import { invalidCredentials, missingCredentials, tooSlow, UNAVAILABLE } from '../errors/problems.ts'
import { type RefusalAnswer, refusals } from '../errors/refusals.ts'
import { takesIdempotencyKey } from '../idempotency/takes-idempotency-key.ts'
import type { RouteConfig } from '../route-config.ts'

/** What a route may answer with beside its success, and the codes behind it. */
export type PossibleError = Readonly<Readonly<{ status: number; message: string; code?: string }>>

const ofCode = (code: ApiRefusalCode): PossibleError => {
  const answer: RefusalAnswer = refusals[code]
  return { status: answer.status, message: answer.message, ...(answer.hidden ? {} : { code }) }
}

const isChange = (method: string): boolean => method !== 'GET' && method !== 'HEAD'

const refusalOfRole = ({ door, dashboard }: RouteConfig): readonly ApiRefusalCode[] => {
  if (!door || dashboard === undefined || dashboard.role === 'member') return []
  return [ROLE_REFUSALS[dashboard.role]]
}

/** The refusals that the conventions give for a route, whatever it declares. */
const conventional = (config: RouteConfig, method: string): readonly ApiRefusalCode[] => {
  const changes = isChange(method)
  const editing = config.edits ? (['if_match_required', 'changed_meanwhile'] as const) : []
  const idempotency = takesIdempotencyKey(config, method) ? (['idempotency_key_reused', 'idempotency_in_progress'] as const) : []
  if (config.access === 'open') return idempotency
  if (config.access === 'session') {
    const byPage = changes || config.door ? (['origin_not_allowed'] as const) : []
    const byTab = config.door ? (['other_workspace_shown'] as const) : []
    const byRole = [...(config.role === undefined ? [] : (['role_required'] as const)), ...refusalOfRole(config)]
    const byRequired = config.withoutWorkspace ? [] : (['workspace_required'] as const)
    // An operator may name one where none is needed.
    const byNamed = config.withoutWorkspace && !config.door ? [] : (['workspace_not_found'] as const)
    const byStatus = changes && !config.withoutWorkspace && !config.anyWorkspaceStatus ? (['workspace_not_active'] as const) : []
    const byWorkspace = [...byTab, 'workspace_not_chosen', ...byRequired, ...byNamed, ...byStatus] as const
    return ['authentication_required', ...byPage, ...byRole, ...byWorkspace, ...editing, ...idempotency]
  }
  return [
    ...(config.tellsUnknownTenant ? (['workspace_not_found'] as const) : []),
    ...(config.anyWorkspaceStatus ? [] : (['workspace_not_active'] as const)),
    ...idempotency,
  ]
}

/** Whether a refusal by this code is among what the route says about itself. A route that looks after itself and declares nothing says nothing. */
export function declaresRefusal(config: RouteConfig, method: string, code: string): boolean {
  if (config.access === 'open' && config.refusals === undefined) return true
  const isOneOf = (codes: readonly string[] = []): boolean => codes.includes(code)
  return isOneOf(config.refusals) || isOneOf(conventional(config, method))
}

/** Everything that a route may answer with beside its success, by status. */
export function possibleErrors(config: RouteConfig, method: string): readonly PossibleError[] {
  const changes = isChange(method)
  const codes = [...conventional(config, method), ...(config.refusals ?? [])]
  const all: readonly PossibleError[] = [
    { status: 400, message: 'property colour should not exist' },
    ...((config.access ?? 'key') !== 'key' ? [] : [missingCredentials().problem, invalidCredentials().problem]),
    ...codes.map(ofCode),
    ...(config.problems ?? []),
    ...(changes ? [tooSlow().problem, { status: 413, message: 'Payload Too Large' }] : []),
    ...(config.throttle === false ? [] : [{ status: 429, message: 'Too many requests, please try again later' }]),
    { status: 500, message: 'Internal server error' },
    { status: 503, message: UNAVAILABLE },
  ]
  const byText = new Map(all.map((error) => [`${error.status} ${error.code ?? ''} ${error.message}`, error]))
  return [...byText.values()].toSorted((one, other) => one.status - other.status)
}
