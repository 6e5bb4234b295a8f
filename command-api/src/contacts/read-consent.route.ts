import { ConsentQuery, ContactConsent, ContactParams, MAX_CONSENT_HISTORY } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import { parseMoment } from '@tidings/evidence'
import { type App, invalidRequest } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'

const schema = {
  operationId: 'contacts.readConsent',
  summary: 'The consent of a contact at a moment, and how it came to be',
  tags: ['contacts'],
  params: ContactParams,
  querystring: ConsentQuery,
  response: { 200: ContactConsent },
}

const config = { dashboard: { role: 'member' }, access: 'session', refusals: ['contact_not_found'] } as const

/** A read among the writes: it is answered from the log itself, which a process for reads alone does not have. */
export function readContactConsent(app: App, { consents, now }: Dependencies): void {
  app.get('/integrations/contacts/:id/consent', { schema, config }, async ({ tenant, params, query }) => {
    const { at: asked } = query
    const at = asked === undefined ? null : parseMoment(asked)
    if (asked !== undefined && at === null) throw invalidRequest('at must be a valid ISO 8601 date string')
    const found = await consents({ workspaceId: tenant.workspaceId, contactId: params.id, at })
    if (found === null) throw new Refused('contact_not_found')
    const history = found.history.slice(-MAX_CONSENT_HISTORY)
    return { contactId: params.id, at: at ?? now(), channels: found.channels, history, omitted: found.history.length - history.length }
  })
}
