import { type ContactConsentRecorded, type ContactErasureRequested, saidAt, saidSource, sourceWithoutPerson } from '@tidings/domain'
import { defineProjection, defineTable } from '@tidings/projections'
import type { ConsentHistoryRow } from '@tidings/read-models'
import { rowsOfContact } from './erasure.ts'

const consentHistory = defineTable<ConsentHistoryRow<string>>({
  name: 'consent_history',
  columns: {
    workspace_id: 'uuid',
    contact_id: 'uuid',
    revision: 'integer',
    channel: 'text',
    from_status: 'text',
    to_status: 'text',
    source: 'text',
    at: 'timestamptz',
    actor: 'text',
    ip: 'text?',
    user_agent: 'text?',
    request_id: 'text',
  },
  key: ['workspace_id', 'contact_id', 'revision'],
})

/** Every consent that was ever said, one line each; an erased person's lines stay without address, agent, and a source that may name somebody. */
export const consentHistoryProjection = defineProjection<ContactConsentRecorded | ContactErasureRequested>({
  name: 'consent_history',
  version: 2,
  byStream: 'contact',
  tables: [consentHistory],
  personal: ['ContactConsentRecorded'],
  reads: (event) => (event.type === 'ContactConsentRecorded' ? [] : [rowsOfContact(consentHistory, event)]),
  on: {
    ContactConsentRecorded: ({ data, revision, meta }, rows) =>
      rows.create(consentHistory, {
        workspace_id: meta.workspaceId,
        contact_id: data.contactId,
        revision,
        channel: data.channel,
        from_status: data.from,
        to_status: data.to,
        source: saidSource(data),
        at: saidAt({ data, meta }),
        actor: meta.actor,
        ip: data.ip,
        user_agent: data.userAgent,
        request_id: meta.requestId,
      }),
    ContactErasureRequested: (event, rows) => {
      const lines = rows.all<ConsentHistoryRow<string>>(rowsOfContact(consentHistory, event))
      for (const line of lines) rows.put(consentHistory, { ...line, source: sourceWithoutPerson(line.source), ip: null, user_agent: null })
    },
  },
})
