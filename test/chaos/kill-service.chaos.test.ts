import { expect, test } from 'vitest'
import { chaos, NOTHING_LOST, STORE_VICTIMS, VICTIMS } from './kill-service.ts'

const ROUNDS = Number(process.env.CHAOS_ROUNDS ?? 20)

test(`${ROUNDS} kills of the service, of Postgres, of both and of a start lose and double nothing`, async () => {
  const victims = Array.from({ length: ROUNDS }, (_, n) => VICTIMS[n % VICTIMS.length] ?? 'both')
  const result = await chaos({ victims, clients: 12, seconds: 6 })
  console.table(result)
  expect(result).toMatchObject(NOTHING_LOST)
  expect(result.ackedSends).toBeGreaterThan(ROUNDS)
  expect(result.ackedWrites).toBeGreaterThan(ROUNDS)
}, 3_600_000)

test(`${ROUNDS} kills of EventStoreDB, of the wire to it, of the service and of Postgres lose and double nothing`, async () => {
  const targets = [...STORE_VICTIMS, 'service', ...STORE_VICTIMS, 'both'] as const
  const victims = Array.from({ length: ROUNDS }, (_, n) => targets[n % targets.length] ?? 'store')
  const result = await chaos({ log: 'eventstoredb', victims, clients: 12, seconds: 6 })
  console.table(result)
  expect(result).toMatchObject(NOTHING_LOST)
  expect(result.ackedSends).toBeGreaterThan(ROUNDS)
  expect(result.ackedWrites).toBeGreaterThan(ROUNDS)
}, 3_600_000)
