import { AuditEntryPage, AuditQuery } from '@tidings/contracts'
import { type App, invalidRequest } from '@tidings/http'
import { quarterStart } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { namesOfActors } from '../editing/last-change.ts'
import { askedBoundaries } from '../overview/period.ts'
import { auditPage, type WantedAudit } from './audit-page.ts'

const schema = {
  operationId: 'audit.list',
  summary: 'Who did what, newest first',
  tags: ['audit'],
  querystring: AuditQuery,
  response: { 200: AuditEntryPage },
}

// Notes are no projection's: it is always answered.
const config = { access: 'session', dashboard: { role: 'admin' } } as const

type AskedDays = Readonly<{ from?: string; to?: string; zone?: string }>

const periodOf = ({ from, to, zone = 'UTC' }: AskedDays): WantedAudit['period'] => {
  if (from === undefined && to === undefined) return null
  if (from === undefined || to === undefined) throw invalidRequest('from and to must be given together')
  const boundaries = askedBoundaries({ from, to, zone, step: 'day' })
  return { from: quarterStart(boundaries[0] ?? 0), to: quarterStart(boundaries.at(-1) ?? 0) }
}

export function listAudit(app: App, deps: Pick<DashboardDependencies, 'db' | 'pool'>): void {
  app.get('/audit', { schema, config }, async ({ tenant: { workspaceId }, query }) => {
    const { userId, only, after = null, limit = 50 } = query
    const actors = userId === undefined ? null : [`user:${userId}`, `operator:${userId}`]
    const wanted = { workspaceId, actors, exportsOnly: only === 'exports', period: periodOf(query), after, limit }
    const found = await auditPage(deps, wanted)
    const shown = found.slice(0, limit)
    const nameOf = await namesOfActors(
      deps.db,
      workspaceId,
      shown.map(({ actor }) => actor),
    )
    const items = shown.map((entry) => ({ ...entry, actor: entry.actor.replace(/^operator:.*/, 'operator'), by: nameOf(entry.actor) }))
    const hasMore = found.length > limit
    return { items, limit, total: null, has_more: hasMore, next_cursor: hasMore ? (items.at(-1)?.id ?? null) : null }
  })
}
