import { activityStream, type ContactId, type WorkspaceStatus } from '@tidings/domain'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startAbandonedCarts } from '../../src/abandoned-carts/start-abandoned-carts.ts'
import { lastActivitiesIn } from '../testing/last-activities.ts'
import { recordingLogger } from '../testing/recording-logger.ts'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'

let db: TestDatabase
let rig: Rig
beforeAll(async () => {
  db = await testDatabase()
  rig = await openRig(db.pool)
})
afterAll(async () => {
  await rig.close()
  await db.drop()
})

const HOUR = 3_600_000
/** Between two looks at the workspaces that are suspended. */
const LOOK_MS = 15_000
let status: WorkspaceStatus = 'active'

const checkout = async (contactId: ContactId, minutesAgo: number): Promise<void> => {
  const activityId = crypto.randomUUID()
  const occurredAt = new Date(Date.now() - minutesAgo * 60_000).toISOString()
  const data = { activityId, contactId, event: 'checkout.started', source: 'store', occurredAt, properties: {}, propertyNames: [] }
  const context = { commandId: activityId, workspaceId: WORKSPACE, actor: 'test', requestId: 'r', at: new Date().toISOString() }
  await rig.log.append(activityStream(WORKSPACE, activityId), 'no_stream', [{ type: 'ActivityRecorded', data }], context)
}
const start = (outcomes: string[], ahead = 0, asked: () => void = () => undefined) =>
  startAbandonedCarts({
    log: rig.log,
    pool: db.pool,
    commands: rig.runner,
    workspaces: {
      status: () => {
        asked()
        return status
      },
      statusNow: async () => status,
    },
    reads: { wait: async () => 'visible' },
    lastActivities: (workspaceId, contactId) => lastActivitiesIn(rig.log, { workspaceId, contactId }),
    now: () => Date.now() + ahead,
    logger: recordingLogger(),
    onOutcome: (outcome) => outcomes.push(outcome),
  })
const waiting = async () =>
  (
    await db.pool.query<{ due_in: number }>(
      "select extract(epoch from due_at - now())::int as due_in from inbox.job where kind = 'abandoned-cart'",
    )
  ).rows
const recorded = async () => {
  const { events } = await rig.log.readAll('start', 1_000, { types: ['ActivityRecorded'] })
  return events.map(({ data }) => data as { event: string; contactId: ContactId }).filter(({ event }) => event === 'cart.abandoned')
}

test('a cart waits as a row until its hour is over, through a restart, and is abandoned once however often its event comes', async () => {
  const contactId = await rig.newContact('cart@example.com')
  await checkout(contactId, 10)
  const outcomes: string[] = []
  const first = start(outcomes)
  await until(async () => expect((await waiting())[0]?.due_in).toBeGreaterThan(49 * 60))
  await first.stop()
  expect(outcomes).toEqual([])

  await db.pool.query("update inbox.job set due_at = now() where kind = 'abandoned-cart'")
  const both = [start(outcomes, HOUR), start(outcomes, HOUR)]
  await until(async () => expect(await recorded()).toHaveLength(1))
  await until(async () => expect(await waiting()).toEqual([]))
  await Promise.all(both.map(({ stop }) => stop()))

  await db.pool.query("delete from ops.consumer_checkpoint where consumer_group = 'abandoned-cart'")
  const again = start(outcomes, HOUR)
  await until(async () => expect(outcomes.length).toBeGreaterThan(1))
  await again.stop()
  expect(await recorded()).toMatchObject([{ contactId }])
})

test('carts of a log that is read from its start a week later are missed', async () => {
  await checkout(await rig.newContact('old@example.com'), 7 * 24 * 60)
  const outcomes: string[] = []
  const carts = start(outcomes)
  await until(async () => expect(outcomes).toContain('missed'))
  await carts.stop()
  expect(await recorded()).toHaveLength(1)
})

test('a cart of a suspended workspace is held, as its messages are, and is looked at once when it is active again', async () => {
  status = 'suspended'
  await checkout(await rig.newContact('held@example.com'), 70)
  const outcomes: string[] = []
  const asked = vi.fn()
  const began = performance.now()
  const carts = start(outcomes, 0, asked)
  await until(async () =>
    expect((await db.pool.query('select from inbox.suspended_workspace where kind = $1', ['abandoned-cart'])).rowCount).toBe(1),
  )
  await until(async () => expect(asked).toHaveBeenCalled())
  await carts.stop()
  // Once for the cart, and in each look at what is suspended: at the start, and by a clock that others may have begun.
  const looks = 2 + Math.floor((performance.now() - began) / LOOK_MS)
  expect(asked.mock.calls.length).toBeLessThanOrEqual(1 + looks)
  expect(outcomes).toEqual([])

  status = 'active'
  const again = start(outcomes)
  await until(async () => expect(outcomes).toEqual(['abandoned']))
  await again.stop()
})
