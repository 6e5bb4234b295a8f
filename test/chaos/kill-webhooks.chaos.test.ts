import { expect, test } from 'vitest'
import { webhookChaos } from './kill-webhooks.ts'

const KILLS = Number(process.env.CHAOS_ROUNDS ?? 50)

test(`${KILLS} kills of the service while webhooks are delivered lose none, and none changes its id`, async () => {
  const result = await webhookChaos({ kills: KILLS, clients: 8, endpoints: 5, seconds: 4 })
  console.table(result)
  expect(result).toMatchObject({ lost: 0, severalIds: 0 })
  expect(result.due).toBeGreaterThan(KILLS)
}, 3_600_000)
