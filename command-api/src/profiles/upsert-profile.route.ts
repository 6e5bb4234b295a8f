import { appendContext } from '@tidings/administration'
import { Profile, UpsertProfileBody } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { answerProfile } from './answer-profile.ts'
import { consentStatements, contactPatch, pointValues, profileWriteRefusals } from './profile-input.ts'

const schema = {
  operationId: 'profiles.upsert',
  summary: 'Create a profile, or change the one that has the email or phone',
  tags: ['profiles'],
  body: UpsertProfileBody,
  response: { 200: Profile },
}

const config = { dashboard: { role: 'member' }, refusals: profileWriteRefusals } as const

export function upsertProfile(app: App, deps: Dependencies): void {
  app.put('/public/profiles', { schema, config }, async (request, reply) => {
    const { body, tenant } = request
    const at = deps.now()
    const { country } = await deps.directory.workspace(tenant.workspaceId)
    const values = pointValues(body, country)
    const known = await deps.directory.contactBy(tenant.workspaceId, values)
    const upserted = await deps.uniqueContacts.upsert({
      context: appendContext(request, at),
      ...values,
      ...(known && { knownId: known.contactId }),
      details: await contactPatch(deps, tenant.workspaceId, body),
      consents: consentStatements(body, request),
      source: 'api',
    })
    return answerProfile(deps, request, reply, { ...upserted, at })
  })
}
