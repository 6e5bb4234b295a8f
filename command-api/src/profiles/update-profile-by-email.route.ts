import { normalizeEmail } from '@tidings/addresses'
import { appendContext } from '@tidings/administration'
import { addressFields, PatchByEmailBody, Profile } from '@tidings/contracts'
import { isImpossibleDate } from '@tidings/domain'
import { type App, invalidRequest } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { answerProfile } from './answer-profile.ts'
import { findContactId } from './find-contact-id.ts'
import { consentStatements, contactPatch, pointValues, profileWriteRefusals } from './profile-input.ts'
import { asProfileNotFound } from './profile-not-found.ts'

const schema = {
  operationId: 'profiles.updateByEmail',
  summary: 'Change the profile that has an email',
  tags: ['profiles'],
  body: PatchByEmailBody,
  response: { 200: Profile },
}

const config = { dashboard: { role: 'member' }, refusals: [...profileWriteRefusals, 'profile_not_found'] } as const

/** Address-style inputs are not fields of a profile: they are written among its custom properties, where an explicit one wins. */
const withAddressFields = (body: PatchByEmailBody): Pick<PatchByEmailBody, 'customProperties'> => {
  const sent = addressFields.filter((field) => body[field] !== undefined).map((field) => [field, body[field]] as const)
  if (sent.length === 0 && body.customProperties === undefined) return {}
  return { customProperties: { ...Object.fromEntries(sent), ...body.customProperties } }
}

export function updateProfileByEmail(app: App, deps: Dependencies): void {
  app.patch('/public/profiles', { schema, config }, async (request, reply) => {
    const { body, tenant } = request
    const at = deps.now()
    if (isImpossibleDate(body.dateOfBirth ?? null)) throw invalidRequest('dateOfBirth must be a valid ISO 8601 date string')
    const { country } = await deps.directory.workspace(tenant.workspaceId)
    const { newEmail, phone } = body
    const values = pointValues({ ...(newEmail !== undefined && { email: newEmail }), ...(phone !== undefined && { phone }) }, country)
    const contactId = await findContactId(deps, tenant.workspaceId, { email: normalizeEmail(body.email) })
    const updated = await asProfileNotFound(
      deps.uniqueContacts.update({
        context: appendContext(request, at),
        contactId,
        ...values,
        details: await contactPatch(deps, tenant.workspaceId, { ...body, ...withAddressFields(body) }),
        consents: consentStatements(body, request),
      }),
    )
    return answerProfile(deps, request, reply, { ...updated, at })
  })
}
