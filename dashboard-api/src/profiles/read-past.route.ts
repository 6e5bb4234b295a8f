import { waitUntilVisible } from '@tidings/administration'
import { ContactParams, PastProfile, PastQuery } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import { parseMoment, readProfile } from '@tidings/evidence'
import { type App, invalidRequest } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { onceBuilt } from '../not-built.ts'
import { knownContact } from './known-contact.ts'
import { listsAt } from './lists-at.ts'

const schema = {
  operationId: 'profiles.readPast',
  summary: 'The profile of a person as it was at a moment',
  description: 'Fields, consents and blocks are those of the log; the lists are those that its read side shows.',
  tags: ['profiles'],
  params: ContactParams,
  querystring: PastQuery,
  response: { 200: PastProfile },
}

const config = {
  access: 'session',
  dashboard: { role: 'member' },
  waitsForReads: true,
  refusals: ['contact_not_found'],
} as const

/** So many moments of changes are answered. */
const MOMENTS = 1_000

export function readPast(app: App, deps: Pick<DashboardDependencies, 'db' | 'log' | 'readSide' | 'now'>): void {
  app.get('/profiles/:id/past', { schema, config }, async ({ tenant: { workspaceId }, params, query }, reply) => {
    const asked = query.at === undefined ? null : parseMoment(query.at)
    if (asked === null && query.at !== undefined) throw invalidRequest('at must be a valid ISO 8601 date string')
    const contactId = params.id
    const position = await knownContact(deps, { workspaceId, contactId })
    const found = await readProfile(deps.log, { workspaceId, contactId, at: asked })
    if (found === null) throw new Refused('contact_not_found')
    await waitUntilVisible(deps, reply, { position, projections: ['contact_timeline'] })
    const at = asked ?? deps.now()
    const { lists, changes } = await onceBuilt(listsAt(forWorkspace(deps.db, workspaceId), { contactId, at }))
    const { details, email, phone, consents, suppressions, emailValidation } = found.state
    return {
      ...{ contactId, at, email, phone, ...details, tags: [...details.tags], customProperties: { ...details.customProperties } },
      ...{ emailConsent: consents.email, smsConsent: consents.sms, pushConsent: consents.push, emailValidationState: emailValidation },
      ...{ emailBlocks: [...suppressions.email], smsBlocks: [...suppressions.sms], lists },
      ...{ createdAt: found.createdAt, changedAt: found.changedAt },
      changes: [...new Set([...found.changes, ...changes])].toSorted().slice(-MOMENTS),
    }
  })
}
