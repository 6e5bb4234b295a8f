import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { asWorkspaceId, type ContactEvent, contactStream, eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { consentAt } from '@tidings/evidence'
import { createUniqueContacts } from '@tidings/unique-contacts'
import { expect, test } from 'vitest'
import type { Person } from '../src/line/person-of.ts'
import { writePerson } from '../src/write/write-person.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const now = '2026-02-01T00:00:00.000Z'

test('lines of one person that are written in one millisecond are two changes', async () => {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const contacts = createUniqueContacts({ runner: createCommandRunner({ log }), claimDigest: (_, kind, value) => `${kind}of${value}` })
  const writing = { contacts, log, workspaceId, runId: '0192b1f0-0000-7000-8000-0000000000aa', isAgain: false, now: () => now }
  const write = async (line: number, said: Partial<Person>) =>
    await writePerson(writing, {
      line,
      person: { email: 'ada@example.com', details: {}, consents: [], ...said },
      shown: { email: null, phone: null },
    })
  const { contactId } = await write(2, { details: { firstName: 'Ada' } })
  const consent = { channel: 'email', source: 'fair', at: '2025-01-01T00:00:00.000Z', status: 'subscribed' } as const
  expect(await write(3, { consents: [consent] })).toMatchObject({ outcome: 'updated', contactId })
  expect(await write(4, { details: { firstName: 'Augusta' } })).toMatchObject({ outcome: 'updated', contactId })

  const events = await log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId))
  expect(events.map(({ type }) => type)).toEqual(['ContactCreated', 'ContactConsentRecorded', 'ContactDetailsChanged'])
  expect(new Set(events.map(({ meta }) => `${meta.requestId} ${meta.at}`)).size).toBe(1)
  expect(new Set(events.map(({ meta }) => meta.causationId)).size).toBe(3)
  // The contact was there before the statement.
  expect(consentAt(events, null)?.history).toMatchObject([{ from: 'never_subscribed', to: 'subscribed' }])
})
