import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { eventDeclarations } from '@tidings/domain'
import type { RecordedEvent } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import type { KafkaMessage } from 'kafkajs'
import { describe, expect, test } from 'vitest'
import { messageOf, outgoing, readRecord } from '../../src/kafka/record.ts'
import { partitionOf, partitionOfEvent } from '../../src/partition.ts'
import { WORKSPACE } from '../testing/log-of-deliveries.ts'

const CONTACT = '0192b1f0-0000-7000-8000-0000000000cc'
const ACCEPTED = {
  type: 'EmailAccepted',
  data: {
    messageId: '0192b1f0-0000-7000-8000-0000000000aa',
    contactId: CONTACT,
    channel: 'email',
    to: 'ada@example.com',
    fromEmail: 'hello@acme.example',
    fromName: 'Acme Ltd',
    replyTo: null,
    content: { subject: 'Votre reçu', html: '<p>☕</p>', text: null },
    contentId: null,
    templateId: null,
    kind: 'transactional',
  },
}

async function accepted() {
  const store = memoryEventStore()
  const keyRing = memoryKeyRing()
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
  const at = '2026-11-21T10:00:00.000Z'
  const context = { commandId: 'c', workspaceId: WORKSPACE, actor: 'test', requestId: 'request', at }
  await log.append(`message-${WORKSPACE}-1`, 'any', [ACCEPTED], context)
  const [stored] = (await store.readAll('start', 1)).events
  if (stored === undefined) throw new Error('nothing was stored')
  return { log, stored }
}

const position = (commit: bigint) => ({ commit, prepare: 0n })

/** A message as the client delivers it: everything is bytes. */
const delivered = (event: RecordedEvent, withValue = true): Pick<KafkaMessage, 'headers' | 'value'> => {
  const { headers = {}, value } = messageOf(outgoing(event), { partition: 2, previous: position(7n), relay: 'r', withValue })
  return {
    value: value === null ? null : Buffer.from(value),
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(String(text))])),
  }
}

describe('a record', () => {
  test('is the stored event, and decodes to what the log gives', async () => {
    const { log, stored } = await accepted()
    const record = readRecord(delivered(stored))
    expect(record).toEqual({ type: 'EmailAccepted', position: stored.position, previous: position(7n), relay: 'r', event: stored })
    expect((await log.decode([record?.event ?? stored])).events).toEqual((await log.readAll('start', 1)).events)
  })

  test('says nothing personal in clear', async () => {
    const { stored } = await accepted()
    const { headers, value, key } = messageOf(outgoing(stored), { partition: 0, previous: position(0n), relay: 'r', withValue: true })
    const text = JSON.stringify([key, headers, String(value)])
    for (const secret of ['ada@example.com', 'Votre reçu', '☕', 'Acme Ltd']) expect(text).not.toContain(secret)
  })

  test('names its workspace, its correlation and its version', async () => {
    const { stored } = await accepted()
    expect(outgoing(stored)).toMatchObject({
      key: `${WORKSPACE}:${CONTACT}`,
      headers: { 'event-id': stored.id, type: 'EmailAccepted', 'schema-version': '3', workspace: WORKSPACE, 'correlation-id': 'request' },
    })
  })

  test('lies in the partition that a reader of the log computes for it', async () => {
    const { log, stored } = await accepted()
    const [decoded] = (await log.readAll('start', 1)).events
    for (const partitions of [1, 4, 12, 50])
      expect(partitionOf(outgoing(stored).key, partitions)).toBe(decoded && partitionOfEvent(decoded, partitions))
  })

  test('may go by name only', async () => {
    const { stored } = await accepted()
    expect(readRecord(delivered(stored, false))).toMatchObject({ position: stored.position, event: null })
  })

  test('carries what is broken as it is', async () => {
    const { stored } = await accepted()
    const broken = { ...stored, data: '{oops', meta: 'null' }
    expect(readRecord(delivered(broken))?.event).toEqual(broken)
  })
})

test.each([
  ['no headers', {}],
  ['a position that is none', { position: 'x/0' }],
  ['a header twice', { type: ['a', 'b'] }],
])('what has %s is no record of a relay', async (_, changes) => {
  const { stored } = await accepted()
  const { headers, value } = delivered(stored)
  const changed = Object.keys(changes).length === 0 ? {} : { headers: { ...headers, ...changes } }
  expect(readRecord({ value, ...changed })).toBeNull()
})
