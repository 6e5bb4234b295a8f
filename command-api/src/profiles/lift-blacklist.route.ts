import { BlacklistBody, Profile } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { changeSuppression } from './change-suppression.ts'

const schema = {
  operationId: 'profiles.liftBlacklist',
  summary: 'Lift every suppression of a contact on a channel',
  tags: ['profiles'],
  body: BlacklistBody,
  response: { 200: Profile },
}

const config = { dashboard: { role: 'member' }, refusals: ['profile_not_found'] } as const

export function liftBlacklist(app: App, deps: Dependencies): void {
  app.delete('/public/profiles/blacklist', { schema, config }, (request, reply) =>
    changeSuppression(deps, { request, reply }, (whom) => ({ type: 'LiftSuppression', data: whom }), true),
  )
}
