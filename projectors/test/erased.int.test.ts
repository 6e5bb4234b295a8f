import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { contactSubject, eventDeclarations, passcodeSubject } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { rebuild } from '@tidings/projections'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projections } from '../src/index.ts'
import { histories, type Step } from './histories.ts'
import { write } from './log.ts'
import { dump, forget, runToHead } from './tables.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

afterAll(() => database.drop())

/** The data subjects that the steps speak of. */
const subjects = (steps: readonly Step[]) =>
  steps.flatMap(({ workspaceId, event: { data } }) => {
    if (!('contactId' in data)) return []
    const { contactId } = data
    if (contactId !== null) return [{ workspaceId, subject: contactSubject({ contactId }) }]
    return 'messageId' in data ? [{ workspaceId, subject: passcodeSubject(data) }] : []
  })

test('every event type folds without its key, live and rebuilt alike, and the erased are in no table', { timeout: 120_000 }, async () => {
  const { pool } = database
  await fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      const keyRing = memoryKeyRing()
      const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
      await write(log, steps)
      for (const { workspaceId, subject } of subjects(steps)) await keyRing.shred(workspaceId, subject)
      await forget(pool, projections)
      await runToHead({ pool, log, projections })
      const live = await dump(pool, projections)
      for (const projection of projections) await rebuild({ projection, log, pool })
      expect(await dump(pool, projections)).toEqual(live)
      expect([live.profiles, live.profile_totals, live.suppressions, live.sms_recipients, live.waiting_texts]).toEqual([[], [], [], [], []])
      expect((await pool.query('select 1 from ops.parked_stream')).rowCount).toBe(0)
      await log.close()
    }),
    { numRuns: 6 },
  )
})
