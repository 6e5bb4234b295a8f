import { Account } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { hasPassword } from '@tidings/sign-in'
import type { DashboardDependencies } from '../dependencies.ts'
import { existingUser } from '../people/people.ts'
import { callerOf } from './caller.ts'

const schema = {
  operationId: 'account.get',
  summary: 'How the caller signs in, and where they are signed in',
  tags: ['account'],
  response: { 200: Account },
}

const config = { access: 'session', dashboard: { role: 'member' }, withoutWorkspace: true, refusals: ['user_not_found'] } as const

export function readAccount(app: App, deps: DashboardDependencies): void {
  app.get('/account', { schema, config }, async (request) => {
    const { token, ...person } = callerOf(request)
    const { passwordHash } = await existingUser(deps, person)
    const has = hasPassword(passwordHash)
    const { ownSessions } = deps.users
    const [byLink, sessions] = await Promise.all([ownSessions.cameByLink(token), ownSessions.list(token)])
    return { hasPassword: has, wantsCurrent: has && !byLink, sessions: [...sessions] }
  })
}
