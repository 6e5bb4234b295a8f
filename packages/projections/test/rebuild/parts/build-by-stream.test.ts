import type { EventLog, Recorded } from '@tidings/codec'
import type { StreamRange } from '@tidings/event-store'
import type { Pool, PoolClient } from 'pg'
import { expect, test } from 'vitest'
import type { ParkedEvent } from '../../../src/follow/parking.ts'
import { defineProjection } from '../../../src/projection.ts'
import { startBuilding } from '../../../src/rebuild/build.ts'
import { buildByStream } from '../../../src/rebuild/parts/build-by-stream.ts'
import type { StartPart } from '../../../src/rebuild/parts/part-thread.ts'
import type { PartOrder } from '../../../src/rebuild/parts/thread-messages.ts'

const projection = defineProjection({ name: 'notes', version: 1, byStream: 'note', tables: [], reads: () => [], on: {} })
const upTo = { commit: 500_000n, prepare: 0n }
const client = { query: async () => ({ rows: [{ attempt: '1' }] }), once: () => undefined, off: () => undefined } as unknown as PoolClient

/** Builds the ranges in parts, each of which answers at once that it has parked these. */
const buildParts = async (ranges: readonly StreamRange[], { count, parked = [] }: Readonly<{ count: number; parked?: ParkedEvent[] }>) => {
  const byStream = { ranges: async () => ranges, pages: () => expect.unreachable() }
  const log = { head: async () => upTo, byStream } as unknown as EventLog
  const orders: PartOrder[] = []
  const start: StartPart = (order) => {
    orders.push(order)
    return { built: Promise.resolve({ position: upTo, events: 1, parked }), end: async () => undefined }
  }
  const options = { projection, log, pool: {} as Pool, threads: { count, start } }
  const building = startBuilding(options, { client, carefully: false })
  await buildByStream(options, building, () => undefined)
  return { building, orders }
}

const range = (n: number): StreamRange => ({ from: `note-${n}`, to: `note-${n + 1}` })

test('as many streams may be parked as there are', async () => {
  const event = { stream: 'note-1' } as Recorded
  const parked = Array.from({ length: 150_000 }, (): ParkedEvent => ({ event, error: 'refused' }))
  const { building } = await buildParts([range(0), range(1)], { count: 2, parked })
  expect([building.parked.length, building.position]).toEqual([300_000, upTo])
})

test.each([
  [1, 4, [1]],
  [3, 4, [1, 1, 1]],
  [5, 2, [3, 2]],
])('of %i ranges none of %i threads is started for nothing', async (ranges, count, each) => {
  const { orders } = await buildParts(
    Array.from({ length: ranges }, (_, n) => range(n)),
    { count },
  )
  expect(orders.map(({ part }) => part.ranges.length)).toEqual(each)
  // What each may hold in memory is as with all of them.
  expect(new Set(orders.map(({ of }) => of))).toEqual(new Set([count]))
})
