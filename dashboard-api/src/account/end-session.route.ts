import { Type } from '@sinclair/typebox'
import { SessionParams } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { callerOf } from './caller.ts'

const schema = {
  operationId: 'account.endSession',
  summary: 'End a session of the caller, everywhere and at once',
  tags: ['account'],
  params: SessionParams,
  response: { 204: Type.Null({ description: 'Ended' }) },
}

const config = {
  access: 'session',
  dashboard: { role: 'member' },
  withoutWorkspace: true,
  ownCallerOnly: true,
  refusals: ['session_not_found'],
} as const

export function endSession(app: App, { users }: Pick<DashboardDependencies, 'users'>): void {
  app.delete('/account/sessions/:id', { schema, config }, async (request, reply) => {
    if (!(await users.ownSessions.end(callerOf(request).token, request.params.id))) throw new Refused('session_not_found')
    return reply.code(204).send(null)
  })
}
