import { Type } from '@sinclair/typebox'
import { type App, clearSessionCookie, shownSession } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'

const schema = {
  operationId: 'auth.logout',
  summary: 'End the session, everywhere and at once',
  tags: ['auth'],
  response: { 204: Type.Null({ description: 'Ended' }) },
}

export function logout(app: App, { users }: Dependencies): void {
  app.post(
    '/auth/logout',
    { schema, config: { access: 'session', ownCallerOnly: true, withoutWorkspace: true } },
    async (request, reply) => {
      await users.endSession(shownSession(request)?.token ?? '')
      clearSessionCookie(reply, users.secureCookies)
      return reply.code(204).send(null)
    },
  )
}
