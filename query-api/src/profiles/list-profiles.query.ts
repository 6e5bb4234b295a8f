import { ListProfilesQuery, ProfilePage } from '@tidings/contracts'
import { type App, page } from '@tidings/http'
import { forWorkspace, toProfile } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'
import { richWindow } from '../window.ts'
import { profileFilter } from './profile-filter.ts'
import { profileOrder } from './profile-order.ts'
import { profilePage } from './profile-page.ts'

const schema = {
  operationId: 'profiles.list',
  summary: 'List profiles',
  tags: ['profiles'],
  querystring: ListProfilesQuery,
  response: { 200: ProfilePage },
}

export function listProfiles(app: App, { db }: Dependencies): void {
  app.get('/public/profiles', { schema }, async ({ tenant, query }) => {
    const own = forWorkspace(db, tenant.workspaceId)
    const window = richWindow(query)
    const { items, total } = await profilePage(own, { filter: profileFilter(query), order: profileOrder(query.sort), window })
    return page(items.map(toProfile), total, window)
  })
}
