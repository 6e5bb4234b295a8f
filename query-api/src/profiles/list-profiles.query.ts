import { ListProfilesQuery, ProfilePage } from '@tidings/contracts'
import { type App, page } from '@tidings/http'
import { forWorkspace, toProfile } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'
import { richWindow } from '../window.ts'
import { membersInOrder } from './members-in-order.ts'
import { profileFilter } from './profile-filter.ts'
import { profileOrder } from './profile-order.ts'

const schema = {
  operationId: 'profiles.list',
  summary: 'List profiles',
  tags: ['profiles'],
  querystring: ListProfilesQuery,
  response: { 200: ProfilePage },
}

export const listProfiles = (app: App, { db }: Dependencies): void => {
  app.get('/public/profiles', { schema }, async ({ tenant, query }) => {
    const own = forWorkspace(db, tenant.workspaceId)
    const window = richWindow(query)
    const filter = profileFilter(query)
    const order = profileOrder(query.sort)
    const rows =
      filter.listId !== undefined && order.column === 'created_at'
        ? membersInOrder(own, { ...window, listId: filter.listId, direction: order.direction })
        : filter
            .apply(own.profiles())
            .selectAll()
            .orderBy(order.column, order.direction)
            .orderBy('id', order.direction)
            .limit(window.limit)
            .offset(window.offset)
            .execute()
    const [items, total] = await Promise.all([rows, filter.total(own)])
    return page(items.map(toProfile), total, window)
  })
}
