import { SignedIn } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import type { App } from '@tidings/http'
import { toSignedIn } from './signed-in.ts'

const schema = {
  operationId: 'auth.session',
  summary: 'Who is signed in',
  tags: ['auth'],
  response: { 200: SignedIn },
}

/** Serves a page that is opened again: additive to N442. */
export function readSession(app: App): void {
  app.get('/auth/session', { schema, config: { access: 'session', withoutWorkspace: true } }, async ({ user }, reply) => {
    if (user === null) throw new Refused('authentication_required')
    reply.header('Cache-Control', 'no-store')
    return toSignedIn(user)
  })
}
