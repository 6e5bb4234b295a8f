import { ContactParams, Profile } from '@tidings/contracts'
import { type App, refusal } from '@tidings/http'
import { profileById, toProfile } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'

const schema = {
  operationId: 'profiles.get',
  summary: 'Read a profile',
  tags: ['profiles'],
  params: ContactParams,
  response: { 200: Profile },
}

const config = { dashboard: { role: 'member' }, onReplicas: 'together', refusals: ['profile_not_found'] } as const

export function getProfile(app: App, { db }: Dependencies): void {
  const find = profileById(db)
  app.get('/public/profiles/:id', { schema, config }, async ({ tenant, params }) => {
    const row = await find(tenant.workspaceId, params.id)
    if (row === undefined) throw refusal('profile_not_found')
    return toProfile(row)
  })
}
