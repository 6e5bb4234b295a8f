import { expect, test } from 'vitest'
import { CALM_THINK_MS } from './kill-service.client.ts'
import { chaos, NOTHING_LOST } from './kill-service.ts'

test('a kill of the service and one of Postgres under load lose and double nothing', async () => {
  const result = await chaos({ victims: ['both', 'postgres'], clients: 3, thinkMs: CALM_THINK_MS, seconds: 2 })
  expect(result).toMatchObject(NOTHING_LOST)
  expect(result.ackedSends).toBeGreaterThan(0)
  expect(result.ackedWrites).toBeGreaterThan(0)
}, 1_200_000)

test('an EventStoreDB that is killed, its wire cut and the service killed under load lose and double nothing', async () => {
  // The service first: what it held under an idempotency key is waited for, 10 s, while the others are struck.
  const result = await chaos({ log: 'eventstoredb', victims: ['service', 'wire', 'store'], clients: 3, thinkMs: CALM_THINK_MS, seconds: 2 })
  expect(result).toMatchObject(NOTHING_LOST)
  expect(result.ackedSends).toBeGreaterThan(0)
  expect(result.ackedWrites).toBeGreaterThan(0)
}, 1_200_000)
