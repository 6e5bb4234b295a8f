import { normalizeEmail } from '@tidings/addresses'
import { LookupProfileQuery, Profile } from '@tidings/contracts'
import { type App, refusal } from '@tidings/http'
import { forWorkspace, toProfile } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'

const schema = {
  operationId: 'profiles.lookup',
  summary: 'Find the profile that has an email',
  tags: ['profiles'],
  querystring: LookupProfileQuery,
  response: { 200: Profile },
}

const config = { dashboard: { role: 'member' }, refusals: ['profile_not_found'] } as const

export function lookupProfile(app: App, { db }: Dependencies): void {
  app.get('/public/profiles/lookup', { schema, config }, async ({ tenant, query }) => {
    const email = normalizeEmail(query.email)
    const row = await forWorkspace(db, tenant.workspaceId)
      .profiles()
      .selectAll()
      .where('email', '=', email)
      .orderBy('id')
      .executeTakeFirst()
    if (row === undefined) throw refusal('profile_not_found')
    return toProfile(row)
  })
}
