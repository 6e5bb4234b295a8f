import { createSecretKey } from 'node:crypto'
import { createEventLog, memoryKeyRing, type Recorded, upcasters } from '@tidings/codec'
import {
  asContactId,
  asEndpointId,
  asWorkspaceId,
  type ContactEvent,
  type ContactId,
  contactStream,
  eventDeclarations,
  type WorkspaceId,
} from '@tidings/domain'
import { START } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import { expect, it } from 'vitest'
import { fanOutConsumer } from '../../src/webhooks/fan-out.ts'
import { createPayloadReader } from '../../src/webhooks/payload-reader.ts'
import { createPayloads } from '../../src/webhooks/payloads.ts'
import type { NewDelivery } from '../../src/webhooks/queue/statements.ts'
import { recorded } from '../testing/recorded.ts'

const workspaceId = asWorkspaceId('0192b1f0-0000-7000-8000-000000000001')
const elsewhere = asWorkspaceId('0192b1f0-0000-7000-8000-000000000002')
const endpoint = { id: asEndpointId('e'), url: '', wanted: new Set(['*']), active: true, since: START, key: createSecretKey('k', 'ascii') }
const details = { firstName: 'Ada', lastName: null, timezone: null, locale: null, notes: null, tags: [], customProperties: {} }

const created = (contactId: ContactId): ContactEvent => ({
  type: 'ContactCreated',
  data: { ...details, contactId, email: 'ada@example.com', emailClaimId: null, phone: null, phoneClaimId: null, source: 'api' },
})
const subscribed = (contactId: ContactId): ContactEvent => ({
  type: 'ContactConsentRecorded',
  data: {
    ...{ contactId, channel: 'email', from: 'never_subscribed', to: 'subscribed' },
    ...{ source: 'api', ip: null, userAgent: null, message: null },
  },
})

it('an append that comes from a topic in two takes, between events of other partitions, is one occurrence, said whole', async () => {
  const keyRing = memoryKeyRing()
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
  const append = async (contactId: ContactId, ...events: readonly ContactEvent[]): Promise<readonly Recorded[]> => {
    const context = { commandId: contactId, workspaceId, actor: 'test', requestId: contactId, at: '2026-01-01T00:00:00.000Z' }
    const stream = contactStream(workspaceId, contactId)
    await log.append(stream, 'any', events, context)
    return await log.readStream(workspaceId, stream)
  }
  const id = (n: number) => `0192b1f0-0000-7000-8000-00000000000${n}`
  const before = [
    ...(await append(asContactId(id(1)), created(asContactId(id(1))))),
    ...(await append(asContactId(id(2)), created(asContactId(id(2))))),
  ]
  const [first, second] = await append(asContactId(id(3)), created(asContactId(id(3))), subscribed(asContactId(id(3))))
  const after = [
    ...(await append(asContactId(id(4)), created(asContactId(id(4))))),
    ...(await append(asContactId(id(5)), created(asContactId(id(5))))),
  ]

  const payloads = createPayloads(createPayloadReader(log, keyRing))
  const admitted: NewDelivery[] = []
  const consumer = fanOutConsumer({
    ...{ endpoints: { of: async () => new Map([[endpoint.id, endpoint]]) }, payloads, fromLog: false, keyRing, freed: () => undefined },
    admission: (deliveries) => ({ name: 'admit', call: '$1', values: [], done: () => void admitted.push(...deliveries) }),
  })
  const said: unknown[] = []
  for (const take of [
    [before[0]!, first!, after[0]!],
    [before[1]!, second!, after[1]!],
  ]) {
    const effect = await consumer.effect?.(take)
    effect?.done(null)
    for (const delivery of admitted.splice(0)) {
      const payload = await payloads.of(delivery)
      if (payload !== null) said.push({ event: delivery.event, consent: JSON.parse(payload.data).emailConsent })
    }
  }
  const other = { event: 'contact.created', consent: 'never_subscribed' }
  expect(said).toEqual([other, { event: 'contact.created', consent: 'subscribed' }, other, other, other])
  await log.close()
})

it('where a workspace has no endpoint, what occurs concerns it not, and what ends one does', async () => {
  const event = (type: string, of: WorkspaceId) => recorded({ type, data: {} }, of)
  const { concerns } = fanOutConsumer({
    endpoints: { of: async (of, at) => new Map(of === workspaceId && at?.commit === 1n ? [[endpoint.id, endpoint]] : []) },
    payloads: { of: async () => null, put: () => undefined, prepare: async () => undefined, clear: () => undefined },
    ...{
      fromLog: true,
      keyRing: memoryKeyRing(),
      freed: () => undefined,
      admission: () => ({ name: 'admit', call: '$1', values: [], done: () => undefined }),
    },
  })
  expect(await concerns?.([event('ContactCreated', elsewhere)])).toBe(false)
  expect(await concerns?.([event('ContactCreated', elsewhere), event('ContactCreated', workspaceId)])).toBe(true)
  expect(await concerns?.([event('WebhookEndpointDeleted', elsewhere)])).toBe(true)
  expect(await concerns?.([event('WorkspaceStatusChanged', elsewhere)])).toBe(true)
})
