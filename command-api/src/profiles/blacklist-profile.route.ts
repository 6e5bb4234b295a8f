import { BlacklistBody, Profile } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { changeSuppression } from './change-suppression.ts'

const schema = {
  operationId: 'profiles.blacklist',
  summary: 'Suppress a contact on a channel',
  tags: ['profiles'],
  body: BlacklistBody,
  response: { 200: Profile },
}

const config = { dashboard: { role: 'member' }, refusals: ['profile_not_found'] } as const

export function blacklistProfile(app: App, deps: Dependencies): void {
  app.post('/public/profiles/blacklist', { schema, config }, (request, reply) =>
    changeSuppression(deps, { request, reply }, (whom) => ({ type: 'SuppressContact', data: { ...whom, reason: 'global_blocklist' } })),
  )
}
