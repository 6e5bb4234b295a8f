import { FilterProfilesQuery, ListProfilesQuery, ProfilePage } from '@tidings/contracts'
import { type App, type DashboardDoor, hasLeft, page } from '@tidings/http'
import { forWorkspace, toProfile } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'
import { richWindow } from '../window.ts'
import { profileFilter } from './profile-filter.ts'
import { profileOrder } from './profile-order.ts'
import { profilePages } from './profile-page.ts'

const schema = {
  operationId: 'profiles.list',
  summary: 'List profiles',
  tags: ['profiles'],
  querystring: ListProfilesQuery,
  response: { 200: ProfilePage },
}

const dashboard: DashboardDoor = { role: 'member', querystring: FilterProfilesQuery }

export function listProfiles(app: App, { db, poolSize }: Dependencies): void {
  const find = profilePages(poolSize)
  app.get('/public/profiles', { schema, config: { dashboard } }, async (request) => {
    const { workspaceId } = request.tenant
    const { query } = request
    const window = richWindow(query)
    const of = { db, workspaceId, own: forWorkspace(db, workspaceId), isGone: () => hasLeft(request) }
    const { items, total } = await find(of, { filter: profileFilter(query), order: profileOrder(query.sort), window })
    return page(items.map(toProfile), total, window)
  })
}
