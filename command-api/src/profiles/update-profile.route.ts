import { appendContext } from '@tidings/administration'
import { ContactParams, Profile, ProfileBody } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { answerProfile } from './answer-profile.ts'
import { consentStatements, contactPatch, pointValues, profileWriteRefusals } from './profile-input.ts'
import { asProfileNotFound } from './profile-not-found.ts'

const schema = {
  operationId: 'profiles.update',
  summary: 'Change a profile',
  tags: ['profiles'],
  params: ContactParams,
  body: ProfileBody,
  response: { 200: Profile },
}

const config = { dashboard: { role: 'member' }, refusals: [...profileWriteRefusals, 'profile_not_found'] } as const

export function updateProfile(app: App, deps: Dependencies): void {
  app.patch('/public/profiles/:id', { schema, config }, async (request, reply) => {
    const { body, params, tenant } = request
    const at = deps.now()
    const { country } = await deps.directory.workspace(tenant.workspaceId)
    const updated = await asProfileNotFound(
      deps.uniqueContacts.update({
        context: appendContext(request, at),
        contactId: params.id,
        ...pointValues(body, country),
        details: await contactPatch(deps, tenant.workspaceId, body),
        consents: consentStatements(body, request),
      }),
    )
    return answerProfile(deps, request, reply, { ...updated, at })
  })
}
