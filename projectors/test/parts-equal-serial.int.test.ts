import { createEventLog, type EventLog, openKeyRing, upcasters } from '@tidings/codec'
import { eventDeclarations } from '@tidings/domain'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { type AnyProjection, rebuild } from '@tidings/projections'
import { partsHere } from '@tidings/projections/testing'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projections } from '../src/index.ts'
import { histories } from './histories.ts'
import { divided, write } from './log.ts'
import { dump } from './tables.ts'

const ofStreams = projections.filter(({ byStream }) => byStream !== null)

let database: TestDatabase
let log: EventLog
let inItsOrder: EventLog

beforeAll(async () => {
  database = await testDatabase()
  const { pool } = database
  const keyRing = await openKeyRing({ pool, masterKey: '5a'.repeat(32) })
  log = divided(
    createEventLog({
      store: postgresEventStore({ pool, appendDeadlineMs: PATIENT_MS }),
      declarations: eventDeclarations,
      upcasters,
      keyRing,
    }),
  )
  inItsOrder = { ...log, byStream: undefined }
})

afterAll(async () => {
  await log.close()
  await database.drop()
})

/** Refuses one event of sixteen, always the same ones. Money stops at the first: its folds refuse none. */
const refusingSome = (projection: AnyProjection): AnyProjection => {
  if (projection.onPoison === 'stop') return projection
  const fold: AnyProjection['fold'] = (event, rows) => {
    if (event.id.endsWith('a')) throw new Error('refused')
    projection.fold(event, rows)
  }
  return { ...projection, fold }
}

const state = async (projection: AnyProjection) => {
  const parked = await database.pool.query(
    'select stream, revision, event_id, error from ops.parked_stream where projection = $1 order by stream',
    [projection.name],
  )
  return { tables: await dump(database.pool, [projection]), parked: parked.rows }
}

const manners = fc.record({
  one: fc.constantFrom(...ofStreams),
  count: fc.integer({ min: 2, max: 4 }),
  page: fc.constantFrom(1, 7, 250),
  // A small buffer is written many times on the way, a large one once at the end.
  aheadBytes: fc.constantFrom(1_000, 1_000_000),
  isRefusing: fc.boolean(),
  diesAtPage: fc.option(fc.integer({ min: 1, max: 12 }), { nil: null }),
})

test('built in parts, a projection has the very rows of a serial rebuild; one of the parts that dies changes no row', async () => {
  const { pool } = database
  await fc.assert(
    fc.asyncProperty(histories, manners, async (steps, { one, count, page, aheadBytes, isRefusing, diesAtPage }) => {
      // The log grows: each run rebuilds what all before it have left.
      await write(log, steps)
      const projection = isRefusing ? refusingSome(one) : one
      await rebuild({ projection, log: inItsOrder, pool, page })
      const serial = await state(projection)
      const parts = (onPage: () => void) => ({ count, leastEvents: 0, start: partsHere({ projection, log, pool, aheadBytes, onPage }) })
      let pages = 0
      const die = () => {
        if (++pages === diesAtPage) throw new Error('a part died')
      }
      const dying = rebuild({ projection, log, pool, page, threads: parts(die) })
      await dying.catch((error: unknown) => expect(error).toMatchObject({ message: 'a part died' }))
      expect(pages).toBeGreaterThan(0)
      expect(await state(projection)).toEqual(serial)
      await pool.query(`update read.${projection.tables[0]?.name} set last_commit = -7`)
      await rebuild({ projection, log, pool, page, threads: parts(() => undefined) })
      expect(await state(projection)).toEqual(serial)
    }),
    { numRuns: 12 },
  )
})

test('every projection that is divided has tables that only add, or rows of one stream', () => {
  expect(ofStreams.map(({ name }) => name)).toEqual(['profiles', 'consent_history', 'messages', 'wallets', 'flow_runs'])
})
