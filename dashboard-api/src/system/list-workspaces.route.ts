import { SystemWorkspacePage, SystemWorkspacesQuery } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { pageOfWorkspaces } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'

const schema = {
  operationId: 'system.workspaces',
  summary: 'The workspaces of the installation, by slug',
  tags: ['system'],
  querystring: SystemWorkspacesQuery,
  response: { 200: SystemWorkspacePage },
}

const config = { access: 'session', dashboard: { role: 'operator' } } as const

export function listWorkspaces(app: App, { db }: Pick<DashboardDependencies, 'db'>): void {
  app.get('/system/workspaces', { schema, config }, async ({ query }) => {
    const { search = '', status = null, after = '', limit = 50 } = query
    const found = await pageOfWorkspaces(db, { search: search.trim(), status, after, limit: limit + 1 })
    const items = found.slice(0, limit).map(({ createdAt, ...shown }) => ({ ...shown, createdAt: createdAt.toISOString() }))
    const has_more = found.length > limit
    return { items, limit, total: null, has_more, next_cursor: has_more ? (items.at(-1)?.slug ?? null) : null }
  })
}
