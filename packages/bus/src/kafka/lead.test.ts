import { randomUUID } from 'node:crypto'
import { LogWentBack, START } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import type { Kafka } from 'kafkajs'
import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import { lead } from './lead.ts'

test('what a process remembers of a log that went back is not published', async () => {
  const store = memoryEventStore()
  await store.append('message-1', 'any', [{ id: randomUUID(), type: 'MessageDelivered', data: '{}', meta: '{}' }])
  const sent: unknown[] = []
  const nothing = async () => undefined
  const producer = { connect: nothing, disconnect: nothing, sendBatch: async (record: unknown) => sent.push(record) }
  const leading = lead({
    store: { ...store, confirm: () => Promise.reject(new LogWentBack('the log was set back')) },
    // The edge: this test ends before either is asked for more.
    pool: { query: async () => ({ rows: [] }) } as unknown as Pool,
    client: { producer: () => producer } as unknown as Kafka,
    kafka: { brokers: [], partitions: 1 } as never,
    types: ['MessageDelivered'],
    lead: { topic: 't', id: randomUUID(), epoch: 1n, partitions: 1, at: START, last: [START] },
    signal: AbortSignal.timeout(10_000),
    tally: { leader: false, position: null, lagSeconds: 0, published: 0, fault: null, unknown: null },
  })
  await expect(leading).rejects.toBeInstanceOf(LogWentBack)
  expect(sent).toEqual([])
})
