import { ROLES } from '@tidings/cli'
import { runBroker } from '@tidings/testing/kafka'
import { expect, test } from 'vitest'
import { killRoles } from './kill-role.ts'
import { NOTHING_LOST } from './kill-service.ts'

const ROUNDS = Number(process.env.CHAOS_ROUNDS ?? 20)

const kafka = await runBroker()
process.env.TIDINGS_E2E = kafka === null ? 'roles' : 'kafka'

test(`${ROUNDS} kills of one role after the other lose and double nothing`, async () => {
  const roles = ROLES.filter((role) => role !== 'relay' || kafka !== null)
  const victims = Array.from({ length: ROUNDS }, (_, n) => roles[n % roles.length] ?? 'consumers')
  const result = await killRoles({ victims, clients: 12, seconds: 6 })
  console.table(result)
  expect(result).toMatchObject(NOTHING_LOST)
  expect(result.ackedSends).toBeGreaterThan(ROUNDS)
  expect(result.ackedWrites).toBeGreaterThan(ROUNDS)
}, 3_600_000)
