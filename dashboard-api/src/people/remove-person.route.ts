import { Type } from '@sinclair/typebox'
import { appendContext, waitUntilVisible } from '@tidings/administration'
import { PersonParams } from '@tidings/contracts'
import { Refused, user, userStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { existingUser, leavingAnOwner } from './people.ts'

const schema = {
  operationId: 'people.remove',
  summary: 'Let a user sign in no more; their sessions and links end',
  tags: ['people'],
  params: PersonParams,
  response: { 204: Type.Null({ description: 'Removed' }) },
}

const config = {
  access: 'session',
  dashboard: { role: 'owner' },
  refusals: ['user_not_found', 'own_user_fixed', 'owner_needed', 'people_changing'],
} as const

export function removePerson(app: App, deps: DashboardDependencies): void {
  app.delete('/people/:id', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { id: userId } = request.params
    if (userId === request.user?.userId) throw new Refused('own_user_fixed')
    const { position } = await leavingAnOwner(deps, { workspaceId, userId }, async () => {
      await existingUser(deps, { workspaceId, userId })
      return await deps.commands.execute({
        decider: user,
        stream: userStream(workspaceId, userId),
        command: { type: 'RemoveUser', data: { userId } },
        context: appendContext(request, deps.now()),
      })
    })
    await waitUntilVisible(deps, reply, { position, projections: ['users'] })
    return reply.code(204).send(null)
  })
}
