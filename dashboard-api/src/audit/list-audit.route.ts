import { AuditEntryPage, AuditQuery, SystemAuditQuery } from '@tidings/contracts'
import { INSTALLATION, type WorkspaceId } from '@tidings/domain'
import { type App, invalidRequest } from '@tidings/http'
import { quarterStart } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { namesOfActors, namesOfOperators } from '../editing/last-change.ts'
import { askedBoundaries } from '../overview/period.ts'
import { auditPage, type Noted, type WantedAudit } from './audit-page.ts'

const schema = {
  operationId: 'audit.list',
  summary: 'Who did what, newest first',
  tags: ['audit'],
  querystring: AuditQuery,
  response: { 200: AuditEntryPage },
}

const systemSchema = {
  operationId: 'system.audit',
  summary: 'What operators did in the dashboard, and what became of operators, newest first',
  tags: ['system'],
  querystring: SystemAuditQuery,
  response: { 200: AuditEntryPage },
}

// Notes are no projection's: it is always answered.
const config = { access: 'session', dashboard: { role: 'admin' } } as const
const systemConfig = { access: 'session', dashboard: { role: 'operator' } } as const

type AskedDays = Readonly<{ from?: string; to?: string; zone?: string }>
type AskedAudit = AskedDays & Readonly<{ userId?: string; only?: 'exports'; after?: string; limit?: number }>
type Sources = Pick<DashboardDependencies, 'db' | 'pool'>

const periodOf = ({ from, to, zone = 'UTC' }: AskedDays): WantedAudit['period'] => {
  if (from === undefined && to === undefined) return null
  if (from === undefined || to === undefined) throw invalidRequest('from and to must be given together')
  const boundaries = askedBoundaries({ from, to, zone, step: 'day' })
  return { from: quarterStart(boundaries[0] ?? 0), to: quarterStart(boundaries.at(-1) ?? 0) }
}

async function askedPage(sources: Sources, workspaceId: WorkspaceId, asked: AskedAudit) {
  const { userId, only, after = null, limit = 50 } = asked
  const actors = userId === undefined ? null : [`user:${userId}`, `operator:${userId}`]
  const wanted = { workspaceId, actors, exportsOnly: only === 'exports', period: periodOf(asked), after, limit }
  const found = await auditPage(sources, wanted)
  const shown: readonly Noted[] = found.slice(0, limit)
  const hasMore = found.length > limit
  return { shown, limit, total: null, has_more: hasMore, next_cursor: hasMore ? (shown.at(-1)?.id ?? null) : null }
}

export function listAudit(app: App, deps: Sources): void {
  app.get('/audit', { schema, config }, async ({ tenant: { workspaceId }, query }) => {
    const { shown, ...page } = await askedPage(deps, workspaceId, query)
    const actors = shown.map(({ actor }) => actor)
    const nameOf = await namesOfActors(deps.db, workspaceId, actors)
    const items = shown.map((entry) => ({ ...entry, actor: entry.actor.replace(/^operator:.*/, 'operator'), by: nameOf(entry.actor) }))
    return { items, ...page }
  })

  app.get('/system/audit', { schema: systemSchema, config: systemConfig }, async ({ query }) => {
    const { shown, ...page } = await askedPage(deps, INSTALLATION, query)
    const actors = shown.map(({ actor }) => actor)
    const nameOf = await namesOfOperators(deps.db, actors)
    return { items: shown.map((entry) => ({ ...entry, by: nameOf(entry.actor) })), ...page }
  })
}
