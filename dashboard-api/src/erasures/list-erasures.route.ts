import { listErasures } from '@tidings/administration'
import { ErasurePage, ErasuresQuery } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { cursorOf, placeOf } from '../place-cursor.ts'

const schema = {
  operationId: 'erasures.list',
  summary: 'Who was forgotten, by id, newest first',
  tags: ['erasures'],
  querystring: ErasuresQuery,
  response: { 200: ErasurePage },
}

const config = { access: 'session', dashboard: { role: 'admin' } } as const

export function listErasuresRoute(app: App, { pool }: Pick<DashboardDependencies, 'pool'>): void {
  app.get('/erasures', { schema, config }, async ({ tenant: { workspaceId }, query: { after, limit = 50 } }) => {
    const found = await listErasures(pool, { workspaceId, after: after === undefined ? null : placeOf(after), limit: limit + 1 })
    const shown = found.slice(0, limit)
    const hasMore = found.length > limit
    const last = shown.at(-1)
    return {
      items: shown.map(({ place: _, ...erasure }) => ({
        ...erasure,
        state: erasure.finishedAt === null ? ('running' as const) : ('finished' as const),
      })),
      ...{ limit, total: null, has_more: hasMore },
      next_cursor: hasMore && last !== undefined ? cursorOf(last.place) : null,
    }
  })
}
