import { Type } from '@sinclair/typebox'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { callerOf } from './caller.ts'

const schema = {
  operationId: 'account.endOtherSessions',
  summary: 'End every session of the caller but this one',
  tags: ['account'],
  response: { 204: Type.Null({ description: 'Ended' }) },
}

const config = { access: 'session', dashboard: { role: 'member' }, withoutWorkspace: true, ownCallerOnly: true } as const

export function endOtherSessions(app: App, { users }: Pick<DashboardDependencies, 'users'>): void {
  app.delete('/account/sessions', { schema, config }, async (request, reply) => {
    await users.ownSessions.endOthers(callerOf(request).token)
    return reply.code(204).send(null)
  })
}
