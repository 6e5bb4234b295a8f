import { runBroker } from '@tidings/testing/kafka'
import { expect, test } from 'vitest'
import { killCampaigns } from './kill-campaigns.ts'

const ROLES = ['consumers', 'command-api', 'projectors', 'query-api'] as const
const RECIPIENTS = Number(process.env.CAMPAIGN_RECIPIENTS ?? 50_000)
const KILLS = Number(process.env.CAMPAIGN_KILLS ?? 20)

const chaos = async (roles: readonly ((typeof ROLES)[number] | 'relay')[]) => {
  const victims = Array.from({ length: KILLS }, (_, n) => roles[n % roles.length] ?? 'consumers')
  const { doubled, transactional, seconds, ...result } = await killCampaigns({ victims, recipients: RECIPIENTS, pauses: 3 })
  console.log(
    `${RECIPIENTS} recipients, ${KILLS} kills: ${seconds.toFixed(0)} s, ${doubled} mails left again under the same id, beside it`,
    transactional,
  )
  expect(result).toEqual({ kills: KILLS, status: 'sent', missing: 0, strangers: 0, second: 0 })
  expect(transactional.missing).toBe(0)
}

test('kills of every role while a campaign is sent', async () => {
  process.env.TIDINGS_E2E = 'roles'
  await chaos(ROLES)
}, 3_600_000)

test.runIf((await runBroker()) !== null)(
  'kills of every role while a campaign is sent over Kafka',
  async () => {
    process.env.TIDINGS_E2E = 'kafka'
    await chaos([...ROLES, 'relay'])
  },
  3_600_000,
)
