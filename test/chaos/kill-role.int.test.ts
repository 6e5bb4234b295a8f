import { runBroker } from '@tidings/testing/kafka'
import { expect, test } from 'vitest'
import { killRoles } from './kill-role.ts'
import { NOTHING_LOST } from './kill-service.ts'

const kafka = await runBroker()
process.env.TIDINGS_E2E = kafka === null ? 'roles' : 'kafka'

test('roles that are killed under load, one after the other, lose and double nothing', async () => {
  const victims = ['projectors', 'consumers', 'command-api', ...(kafka === null ? [] : (['relay'] as const))] as const
  const result = await killRoles({ victims, clients: 6, seconds: 2 })
  expect(result).toMatchObject(NOTHING_LOST)
  expect(result.ackedSends).toBeGreaterThan(0)
  expect(result.ackedWrites).toBeGreaterThan(0)
}, 300_000)
