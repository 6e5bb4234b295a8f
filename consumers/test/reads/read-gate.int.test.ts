import { randomUUID } from 'node:crypto'
import { asWorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { type Job, runLanes, type Verdict } from '@tidings/jobs'
import { transaction } from '@tidings/postgres'
import { ReadSideBehind, type ReadYourWrites } from '@tidings/projections'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createReadGate, type ReadGate } from '../../src/reads/read-gate.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const KIND = 'decision'
const MODELS = ['facts']
const at = (commit: bigint): Position => ({ commit, prepare: 0n })

let shown: bigint
let head: bigint
let waits: number
const reads: ReadYourWrites = {
  wait: async (position, projections) => {
    // The loop of the gate asks for models that it has gathered, again and again for as long as it takes.
    if (projections === MODELS) waits++
    return position === null || position.commit <= shown ? 'visible' : 'pending'
  },
}
beforeEach(async () => {
  await db.pool.query('delete from inbox.job')
  shown = 5n
  head = 10n
  waits = 0
})

type Decide = (gate: ReadGate, job: Job) => Promise<Verdict>

const start = (decide: Decide, netMs = 600_000) => {
  const faults: unknown[] = []
  const onFault = (error: unknown): void => void faults.push(error)
  const gate = createReadGate({
    pool: db.pool,
    kind: KIND,
    head: async () => at(head),
    reads,
    onReleased: () => lanes.wake(),
    onFault,
    netMs,
  })
  const lanes = runLanes({
    pool: db.pool,
    kind: KIND,
    concurrency: 4,
    onFault,
    work: gate.guard(
      ({ payload }) => payload,
      (job) => decide(gate, job),
    ),
  })
  const admit = async (count: number) => {
    const jobs = Array.from({ length: count }, (_, n) => ({
      workspaceId: asWorkspaceId(randomUUID()),
      lane: `l${n}`,
      seq: 1n,
      payload: `l${n}`,
    }))
    ;(await transaction(db.pool, (tx) => lanes.admit(tx, jobs)))()
  }
  const stop = async () => {
    await lanes.stop()
    await gate.stop()
  }
  return { faults, admit, stop }
}
const putOff = async () => (await db.pool.query(`select from inbox.job where deferred_for = 'read_side_behind'`)).rowCount

it('puts decisions off without a fault or an attempt, asks once for all of them, and makes them when reads show what they need', async () => {
  const decided: string[] = []
  const { admit, stop, faults } = start(async (gate, { payload, attempt }) => {
    await gate.requireAsOfNow(payload, MODELS)
    decided.push(`${payload}/${attempt}`)
    return 'done'
  })
  await admit(200)
  await until(async () => expect(await putOff()).toBe(200))
  expect(decided).toEqual([])
  // Those that ran before the gate was shut asked: none of the others did.
  expect(waits).toBeGreaterThan(0)
  expect(waits).toBeLessThan(20)
  shown = 10n
  await until(async () => expect(decided).toHaveLength(200))
  expect(new Set(decided).size).toBe(200)
  expect(decided.every((one) => one.endsWith('/0'))).toBe(true)
  expect(faults).toEqual([])
  await stop()
})

it('catches up with what a decision needed first, though the log goes on', async () => {
  let decided = 0
  const { admit, stop } = start(async (gate, { payload }) => {
    await gate.requireAsOfNow(payload, MODELS)
    decided++
    return 'done'
  })
  await admit(1)
  await until(async () => expect(await putOff()).toBe(1))
  head = 1_000n
  shown = 10n
  await until(async () => expect(decided).toBe(1))
  await stop()
})

it('lets decisions through that need less than what is waited for', async () => {
  const decided: string[] = []
  const { admit, stop } = start(async (gate, { payload }) => {
    await gate.require(at(payload === 'l0' ? 9n : 5n), MODELS)
    decided.push(payload)
    return 'done'
  })
  await admit(4)
  await until(async () => expect(decided.toSorted()).toEqual(['l1', 'l2', 'l3']))
  await until(async () => expect(await putOff()).toBe(1))
  await stop()
})

it('leaves what it put off to the due time where its process is killed', async () => {
  const first = start(async (gate, { payload }) => {
    await gate.requireAsOfNow(payload, MODELS)
    return 'done'
  }, 300)
  await first.admit(3)
  await until(async () => expect(await putOff()).toBe(3))
  await first.stop()
  shown = 10n
  const decided: string[] = []
  const second = start(async (gate, { payload }) => {
    await gate.requireAsOfNow(payload, MODELS)
    decided.push(payload)
    return 'done'
  })
  await until(async () => expect(decided).toHaveLength(3))
  await second.stop()
})

it('leaves every other error to the lanes', async () => {
  const { admit, stop, faults } = start(async () => {
    throw new Error('broken')
  })
  await admit(1)
  await until(async () => expect(faults).toHaveLength(1))
  expect(faults[0]).not.toBeInstanceOf(ReadSideBehind)
  await stop()
})
