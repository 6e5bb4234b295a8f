import { TemplateLibrary, TemplateLibraryQuery } from '@tidings/contracts'
import { type App, page, windowOf } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'

const schema = {
  operationId: 'templates.library',
  summary: 'The templates of the workspace, archived ones too, the last changed first',
  tags: ['templates'],
  querystring: TemplateLibraryQuery,
  response: { 200: TemplateLibrary },
}

const config = { access: 'session', dashboard: { role: 'member' } } as const

export function listLibrary(app: App, { db }: Pick<DashboardDependencies, 'db'>): void {
  app.get('/templates/library', { schema, config }, async ({ tenant, query: { channel, archived, ...asked } }) => {
    const window = windowOf(asked, 50)
    let matching = forWorkspace(db, tenant.workspaceId).templates()
    if (channel !== undefined) matching = matching.where('channel', '=', channel)
    if (archived !== undefined) matching = matching.where('archived', '=', archived)
    const [rows, counted] = await Promise.all([
      matching
        .select(['id', 'name', 'channel', 'archived', 'updated_at'])
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(window.limit)
        .offset(window.offset)
        .execute(),
      matching.select(({ fn }) => fn.countAll<bigint>().as('total')).executeTakeFirst(),
    ])
    const items = rows.map(({ updated_at, ...row }) => ({ ...row, changedAt: updated_at.toISOString() }))
    return page(items, Number(counted?.total ?? 0), window)
  })
}
