import { IdParams, Profile } from '@tidings/contracts'
import { type App, refusal } from '@tidings/http'
import { forWorkspace, toProfile } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'

const schema = { operationId: 'profiles.get', tags: ['profiles'], params: IdParams, response: { 200: Profile } }

export const getProfile = (app: App, { db }: Dependencies): void => {
  app.get('/public/profiles/:id', { schema }, async ({ tenant, params }) => {
    const row = await forWorkspace(db, tenant.workspaceId).profiles().selectAll().where('id', '=', params.id).executeTakeFirst()
    if (row === undefined) throw refusal('profile_not_found')
    return toProfile(row)
  })
}
