import { LinkQuery, MadeLink, PersonParams } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { giveLink } from './give-link.ts'
import { existingUser } from './people.ts'

const schema = {
  operationId: 'people.link',
  summary: 'Another link that signs the user in once, and one by mail; earlier ones stay valid',
  tags: ['people'],
  params: PersonParams,
  querystring: LinkQuery,
  response: { 201: MadeLink },
}

const config = { access: 'session', dashboard: { role: 'owner', notes: 'link' }, showsSecret: true, refusals: ['user_not_found'] } as const

export function linkPerson(app: App, deps: DashboardDependencies): void {
  app.post('/people/:id/link', { schema, config }, async ({ tenant: { workspaceId }, params: { id: userId }, query }, reply) => {
    const known = await existingUser(deps, { workspaceId, userId })
    reply.code(201)
    return await giveLink(deps, { workspaceId, user: known, reason: 'link', language: query.language })
  })
}
