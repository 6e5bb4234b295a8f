import { expect, test } from 'vitest'
import { webhookChaos } from './kill-webhooks.ts'

test('two kills of the service while webhooks are delivered lose none, and none changes its id', async () => {
  const result = await webhookChaos({ kills: 2, clients: 4, endpoints: 3, seconds: 2 })
  expect(result).toMatchObject({ lost: 0, severalIds: 0 })
  expect(result.due).toBeGreaterThan(0)
}, 1_200_000)
