import { appendContext } from '@tidings/administration'
import { Profile, ProfileBody } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { answerProfile } from './answer-profile.ts'
import { consentStatements, contactPatch, pointValues, profileWriteRefusals } from './profile-input.ts'

const schema = {
  operationId: 'profiles.create',
  summary: 'Create a profile',
  tags: ['profiles'],
  body: ProfileBody,
  response: { 201: Profile },
}

const config = { dashboard: { role: 'member' }, refusals: profileWriteRefusals } as const

export function createProfile(app: App, deps: Dependencies): void {
  app.post('/public/profiles', { schema, config }, async (request, reply) => {
    const { body, tenant } = request
    const at = deps.now()
    const { country } = await deps.directory.workspace(tenant.workspaceId)
    const created = await deps.uniqueContacts.create({
      context: appendContext(request, at),
      ...pointValues(body, country),
      details: await contactPatch(deps, tenant.workspaceId, body),
      consents: consentStatements(body, request),
      source: 'api',
    })
    reply.code(201)
    return answerProfile(deps, request, reply, { ...created, at })
  })
}
