import { randomUUID } from 'node:crypto'
import type { Settlements } from '@tidings/jobs'
import type { Pool } from 'pg'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type DeliveryOutcome, EndpointQueues } from '../../../src/webhooks/queue/endpoint-queues.ts'
import type { Settled } from '../../../src/webhooks/queue/statements.ts'

const POLL_MS = 1_000
const DONE: DeliveryOutcome = { again: null, attempt: null, ms: 1 }
const NOTHING_SETTLED = { isEmpty: true } as Settlements<Settled>

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => vi.useRealTimers())

const queuesOn = (query: (values: readonly unknown[]) => readonly object[]) => {
  const pool = { query: async ({ values = [] }: { values?: readonly unknown[] }) => ({ rows: query(values) }) } as unknown as Pool
  return new EndpointQueues({ pool, work: async () => DONE, callMs: 1_000, slots: 16, leaseMs: 3_600_000, pollMs: POLL_MS })
}

it('a process that stops looks for nothing, and waits for what runs as long as between two polls', async () => {
  const queues = queuesOn(() => [])
  await queues.settleAndClaim(NOTHING_SETTLED)
  queues.drain()
  vi.advanceTimersByTime(60_000)
  await queues.settleAndClaim(NOTHING_SETTLED)
  expect(queues.pollMs()).toBeGreaterThanOrEqual(POLL_MS)
  await queues.close()
})

it('a process that has leased all that it has memory for waits between two looks', async () => {
  let id = 0n
  // It gives as many new queues as are asked for, each with as many deliveries as there is room for.
  const queues = queuesOn(([, , more, , , , , room]) =>
    Array.from({ length: Number(more) }, randomUUID).flatMap((endpoint) =>
      Array.from({ length: Number(room) }, () => ({ endpoint_id: endpoint, workspace_id: endpoint, id: ++id, source: `contact-x@${id}` })),
    ),
  )
  while (await queues.settleAndClaim(NOTHING_SETTLED)) expect(queues.load().queues).toBeLessThanOrEqual(2_048)
  expect(queues.load().queues).toBe(2_048)
  vi.advanceTimersByTime(60_000)
  // Those that only wait make room for one round of others.
  expect([await queues.settleAndClaim(NOTHING_SETTLED), await queues.settleAndClaim(NOTHING_SETTLED)]).toEqual([true, false])
  expect(queues.load().queues).toBe(2_048)
  expect(queues.pollMs()).toBe(POLL_MS)
  queues.drain()
  await queues.close()
})
