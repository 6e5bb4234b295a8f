import { Type } from '@sinclair/typebox'
import { appendContext } from '@tidings/administration'
import { ChangePasswordBody } from '@tidings/contracts'
import { type App, originOf, setSessionCookies } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { callerOf } from './caller.ts'

const schema = {
  operationId: 'account.changePassword',
  summary: 'Choose a password; the answer sets the cookie of the session that goes on, and every other one ends',
  tags: ['account'],
  body: ChangePasswordBody,
  response: { 204: Type.Null({ description: 'Changed' }) },
}

const config = {
  access: 'session',
  dashboard: { role: 'member' },
  withoutWorkspace: true,
  ownCallerOnly: true,
  refusals: ['password_wrong', 'login_slowed', 'user_not_found', 'changed_meanwhile'],
} as const

export function changePassword(app: App, { users, now }: DashboardDependencies): void {
  app.post('/account/password', { schema, config }, async (request, reply) => {
    const { token, workspaceId, userId } = callerOf(request)
    const { password, current } = request.body
    const tokens = await users.changePassword({
      ...{ token, userId, password, current },
      isOperator: request.user?.isOperator === true && request.user.workspace !== null,
      origin: originOf(request),
      context: { ...appendContext(request, now()), workspaceId },
    })
    setSessionCookies(reply, tokens, users.secureCookies)
    return reply.code(204).send(null)
  })
}
