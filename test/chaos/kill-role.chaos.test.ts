import { ROLES } from '@tidings/service'
import { runBroker } from '@tidings/testing/kafka'
import { expect, test } from 'vitest'
import { killRoles, type RoleVictim } from './kill-role.ts'
import { NOTHING_LOST, STORE_VICTIMS } from './kill-service.ts'

const ROUNDS = Number(process.env.CHAOS_ROUNDS ?? 20)

const kafka = await runBroker()
process.env.TIDINGS_E2E = kafka === null ? 'roles' : 'kafka'

const roles = ROLES.filter((role) => role !== 'relay' || kafka !== null)
const rounds = (victims: readonly RoleVictim[]) => Array.from({ length: ROUNDS }, (_, n) => victims[n % victims.length] ?? 'consumers')

test(`${ROUNDS} kills of one role after the other lose and double nothing`, async () => {
  const result = await killRoles({ victims: rounds(roles), clients: 12, seconds: 6 })
  console.table(result)
  expect(result).toMatchObject(NOTHING_LOST)
  expect(result.ackedSends).toBeGreaterThan(ROUNDS)
  expect(result.ackedWrites).toBeGreaterThan(ROUNDS)
}, 3_600_000)

test(`${ROUNDS} kills of EventStoreDB, of the wire to it and of one role after the other lose and double nothing`, async () => {
  const victims = rounds([...roles, ...STORE_VICTIMS])
  const result = await killRoles({ log: 'eventstoredb', victims, clients: 12, seconds: 6 })
  console.table(result)
  expect(result).toMatchObject(NOTHING_LOST)
  expect(result.ackedSends).toBeGreaterThan(ROUNDS)
  expect(result.ackedWrites).toBeGreaterThan(ROUNDS)
}, 3_600_000)
