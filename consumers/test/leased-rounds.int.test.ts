import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type LeasedRounds, runLeasedRounds } from '../src/leased-rounds.ts'

let db: TestDatabase
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  db = await testDatabase()
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})
afterAll(() => db.drop())

/** A process that repeats a task: how many rounds it had, how often another had it, and what went wrong. */
const process = (task: string, more: Partial<LeasedRounds> = {}) => {
  const seen = { rounds: 0, others: 0, faults: [] as unknown[] }
  const round = async (): Promise<void> => {
    seen.rounds++
  }
  const rounds = runLeasedRounds({
    pool: db.pool,
    task,
    everyMs: 10,
    canWork: () => true,
    round,
    onOther: () => void seen.others++,
    onFault: (error) => seen.faults.push(error),
    ...more,
  })
  stops.push(rounds.stop)
  return seen
}

test('a task stays with the process that did it last', async () => {
  const first = process('steady')
  await expect.poll(() => first.rounds).toBeGreaterThan(0)
  const second = process('steady')
  await expect.poll(() => second.others).toBeGreaterThan(3)
  expect(second.rounds).toBe(0)
})

test('a process that cannot work leaves the task to one that can, and has it again where that is gone', async () => {
  let can = true
  const first = process('left', { canWork: () => can })
  await expect.poll(() => first.rounds).toBeGreaterThan(0)
  can = false
  const second = process('left')
  await expect.poll(() => second.rounds).toBeGreaterThan(0)
  const { rounds } = first
  can = true
  await expect.poll(() => first.others).toBeGreaterThan(3)
  expect(first.rounds).toBe(rounds)
  await stops.pop()?.()
  await expect.poll(() => first.rounds).toBeGreaterThan(rounds)
})

test('a process whose rounds fail leaves the task to one whose do not', async () => {
  const failing = process('failing', { round: () => Promise.reject(new Error('it fails here')) })
  await expect.poll(() => failing.faults.length).toBeGreaterThan(0)
  const whole = process('failing')
  await expect.poll(() => whole.rounds).toBeGreaterThan(3)
})
