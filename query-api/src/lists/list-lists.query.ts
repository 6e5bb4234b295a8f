import { ListPage, StandardQuery } from '@tidings/contracts'
import { type App, page } from '@tidings/http'
import { forWorkspace, toList } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'
import { standardWindow } from '../window.ts'

const schema = {
  operationId: 'lists.list',
  summary: 'List the lists with the number of their members',
  tags: ['lists'],
  querystring: StandardQuery,
  response: { 200: ListPage },
}

const config = { dashboard: { role: 'member' } } as const

export function listLists(app: App, { db }: Dependencies): void {
  app.get('/public/lists', { schema, config }, async ({ tenant, query }) => {
    const window = standardWindow(query)
    const own = forWorkspace(db, tenant.workspaceId)
    const rows = own
      .lists()
      .leftJoin('list_totals', (on) =>
        on.onRef('list_totals.workspace_id', '=', 'lists.workspace_id').onRef('list_totals.list_id', '=', 'lists.id'),
      )
      .select(['lists.id', 'lists.name', 'lists.type', 'list_totals.total'])
      .orderBy('lists.updated_at', 'desc')
      .orderBy('lists.id', 'desc')
      .limit(window.limit)
      .offset(window.offset)
      .execute()
    const count = own
      .lists()
      .select(({ fn }) => fn.countAll<bigint>().as('total'))
      .executeTakeFirstOrThrow()
    const [items, { total }] = await Promise.all([rows, count])
    return page(items.map(toList), Number(total), window)
  })
}
