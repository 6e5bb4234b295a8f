import { appendContext, waitUntilVisible } from '@tidings/administration'
import { ChangeRoleBody, Person, PersonParams } from '@tidings/contracts'
import { Refused, user, userStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { existingUser, leavingAnOwner } from './people.ts'

const schema = {
  operationId: 'people.changeRole',
  summary: 'Give a user another role, from their next request on',
  tags: ['people'],
  params: PersonParams,
  body: ChangeRoleBody,
  response: { 200: Person },
}

const config = {
  access: 'session',
  dashboard: { role: 'owner' },
  refusals: ['user_not_found', 'own_user_fixed', 'owner_needed', 'people_changing'],
} as const

/** A user does not change their own role, and an owner is left. */
export function changeRole(app: App, deps: DashboardDependencies): void {
  app.patch('/people/:id', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { id: userId } = request.params
    if (userId === request.user?.userId) throw new Refused('own_user_fixed')
    const changed = await leavingAnOwner(deps, { workspaceId, userId }, async () => {
      const data = { ...(await existingUser(deps, { workspaceId, userId })), role: request.body.role }
      const { position } = await deps.commands.execute({
        decider: user,
        stream: userStream(workspaceId, userId),
        command: { type: 'ConfigureUser', data },
        context: appendContext(request, deps.now()),
      })
      return { position, email: data.email }
    })
    await waitUntilVisible(deps, reply, { position: changed.position, projections: ['users'] })
    return { id: userId, email: changed.email, role: request.body.role }
  })
}
