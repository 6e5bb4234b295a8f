import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runDirectConsumer } from '../src/direct-consumer.ts'
import { effectsIn } from './testing/effects.ts'
import { WORKSPACE } from './testing/log-of-deliveries.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

test('a consumer stays before an event whose key row is gone: it neither takes it for erased nor sets it aside', async () => {
  const effects = await effectsIn(db.pool)
  const store = memoryEventStore()
  const open = (keyRing = memoryKeyRing()) => createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
  const context = (n: number) => ({
    commandId: `c${n}`,
    workspaceId: WORKSPACE,
    actor: 'test',
    requestId: 'r',
    at: '2026-11-21T10:00:00.000Z',
  })
  const writer = open()
  const accepted = { messageId: '1', contactId: 'c', channel: 'email' }
  await writer.append('message-1', 'any', [{ type: 'MessageDelivered', data: accepted }], context(1))
  const bounced = { messageId: '2', contactId: 'c', bounceType: 'hard', detail: 'no such user' }
  await writer.append('message-2', 'any', [{ type: 'MessageBounced', data: bounced }], context(2))
  await writer.append('message-3', 'any', [{ type: 'MessageDelivered', data: { ...accepted, messageId: '3' } }], context(3))

  const faults: unknown[] = []
  const consumer = runDirectConsumer({
    consumer: effects.noting({ types: ['MessageDelivered', 'MessageBounced'] }),
    log: open(),
    pool: db.pool,
    startAt: 'start',
    onFault: (error) => faults.push(error),
  })
  await until(() => expect(faults.length).toBeGreaterThan(1))
  await consumer.stop()
  expect(faults[0]).toMatchObject({ name: 'SubjectKeyMissing', message: expect.stringContaining('restored from a copy that is older') })
  expect(await effects.all()).toEqual([{ message: '1', contact: 'c' }])
  expect(await effects.letters()).toEqual([])
  const { rows } = await db.pool.query('select position_commit as commit from ops.consumer_checkpoint')
  expect(rows).toEqual([{ commit: 1n }])
})
