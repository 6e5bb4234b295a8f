import { createEventLog, type EventLog, type KeyRing, openKeyRing, upcasters, uuidv7 } from '@tidings/codec'
import {
  asContactId,
  asWorkspaceId,
  type ConsentChannel,
  type ConsentStatus,
  type ContactEvent,
  type ContactId,
  contactStream,
  contactSubject,
  eventDeclarations,
} from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import { eventStoreDbStore } from '@tidings/event-store/eventstoredb'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS, testDatabase } from '@tidings/testing'
import { PATIENT_TIMES, startEventStoreFixture } from '@tidings/testing/eventstoredb'
import type { Pool } from 'pg'
import { type Exported, exportConsents } from '../../src/proof/export/export-consents.ts'
import { type LogKey, openLogKey } from '../../src/proof/log-key.ts'

const WORKSPACE = { id: asWorkspaceId('0192b1f0-0000-7000-8000-000000000001'), slug: 'acme' }
export const STORES = ['Postgres', 'EventStoreDB'] as const

type GivenConsent = Readonly<{ channel: ConsentChannel; from: ConsentStatus; to: ConsentStatus; actor?: string }>

/** A log with contacts in it, over a database of its own. */
export type World = Readonly<{
  pool: Pool
  store: EventStore
  log: EventLog
  keyRing: KeyRing
  key: LogKey
  /** Creates a contact that subscribed to mail in the same request; answers its id. */
  newContact: (email: string) => Promise<string>
  say: (contactId: ContactId, said: GivenConsent) => Promise<void>
  erase: (contactId: ContactId) => Promise<void>
  requestErasure: (contactId: ContactId) => Promise<void>
  exportTo: (
    directory: string,
    contactId: ContactId | null,
    limits?: Readonly<{ maxEvents?: number; maxLog?: number; anchorFile?: string; at?: string | null }>,
  ) => Promise<Exported>
  close: () => Promise<void>
}>

const openStore = async (
  kind: (typeof STORES)[number],
  pool: Pool,
): Promise<Readonly<{ store: EventStore; closeServer: () => Promise<void> }>> => {
  if (kind === 'Postgres') return { store: postgresEventStore({ pool, appendDeadlineMs: PATIENT_MS }), closeServer: async () => undefined }
  const fixture = await startEventStoreFixture()
  return { store: eventStoreDbStore({ connectionString: fixture.connectionString, times: PATIENT_TIMES }), closeServer: fixture.close }
}

export async function openWorld(kind: (typeof STORES)[number]): Promise<World> {
  const { pool, drop } = await testDatabase()
  const { store, closeServer } = await openStore(kind, pool)
  const keyRing = await openKeyRing({ pool, masterKey: '00'.repeat(32) })
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
  const key = await openLogKey(keyRing)
  const append = async (contactId: ContactId, events: readonly ContactEvent[], actor: string): Promise<void> => {
    const commandId = uuidv7()
    const context = { commandId, workspaceId: WORKSPACE.id, actor, requestId: `req-${commandId}`, at: new Date().toISOString() }
    await log.append(contactStream(WORKSPACE.id, contactId), 'any', events, context)
  }
  return {
    ...{ pool, store, log, keyRing, key },
    newContact: async (email) => {
      const contactId = asContactId(uuidv7())
      await append(contactId, [created(contactId, email), consent(contactId, SUBSCRIBED)], 'key:0192b1f0-0000-7000-8000-0000000000aa')
      return contactId
    },
    say: async (contactId, said) => await append(contactId, [consent(contactId, said)], said.actor ?? 'recipient'),
    erase: async (contactId) => await keyRing.shred(WORKSPACE.id, contactSubject({ contactId })),
    requestErasure: async (contactId) => await append(contactId, [{ type: 'ContactErasureRequested', data: { contactId } }], 'operator'),
    exportTo: async (directory, contactId, { anchorFile = null, ...limits } = {}) =>
      await exportConsents({
        ...{ pool, store, log, key, workspace: WORKSPACE, contactId, directory, anchorFile },
        ...limits,
        now: () => new Date(),
        onProgress: () => undefined,
      }),
    close: async () => {
      await log.close()
      await closeServer()
      await drop()
    },
  }
}

const SUBSCRIBED: GivenConsent = { channel: 'email', from: 'never_subscribed', to: 'subscribed' }

const created = (contactId: ContactId, email: string): ContactEvent => ({
  type: 'ContactCreated',
  data: {
    ...{ contactId, email, emailClaimId: uuidv7(), phone: null, phoneClaimId: null, source: 'api' },
    ...{ firstName: 'Adelaide', lastName: null, timezone: null, locale: null, notes: null, tags: [], customProperties: {} },
  },
})

const consent = (contactId: ContactId, { channel, from, to }: GivenConsent): ContactEvent => ({
  type: 'ContactConsentRecorded',
  data: { contactId, channel, from, to, source: 'api', ip: '203.0.113.7', userAgent: 'Mozilla/5.0 ("quotes" & <tags>)', message: null },
})
