import { PersonParams, SignInLink } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { makeSignInLink, signInLinkUrl } from '@tidings/sign-in'
import type { DashboardDependencies } from '../dependencies.ts'
import { existingUser, LINK_HOURS } from './people.ts'

const schema = {
  operationId: 'people.link',
  summary: 'Another link that signs the user in once; earlier ones stay valid',
  tags: ['people'],
  params: PersonParams,
  response: { 201: SignInLink },
}

const config = { access: 'session', dashboard: { role: 'owner', notes: 'link' }, showsSecret: true, refusals: ['user_not_found'] } as const

export function linkPerson(app: App, deps: DashboardDependencies): void {
  app.post('/people/:id/link', { schema, config }, async ({ tenant: { workspaceId }, params: { id: userId } }, reply) => {
    const known = await existingUser(deps, { workspaceId, userId })
    const { token, expiresAt } = await makeSignInLink(deps.pool, { workspaceId, user: known, hours: LINK_HOURS })
    reply.code(201)
    return { url: signInLinkUrl(deps.publicUrl, token), expiresAt }
  })
}
