import { expect, test } from 'vitest'
import { killCampaigns } from './kill-campaigns.ts'

process.env.TIDINGS_E2E = 'roles'

test('roles that are killed while a campaign is sent, paused and resumed leave no recipient out and send none a second message', async () => {
  const {
    doubled,
    transactional,
    seconds: _,
    ...result
  } = await killCampaigns({ victims: ['consumers', 'projectors'], recipients: 200, pauses: 1 })
  expect(result).toEqual({ kills: 2, status: 'sent', missing: 0, strangers: 0, second: 0 })
  expect(transactional.missing).toBe(0)
  expect(doubled).toBeLessThanOrEqual(2 * 128)
}, 1_200_000)
