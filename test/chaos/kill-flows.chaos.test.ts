import { runBroker } from '@tidings/testing/kafka'
import { expect, test } from 'vitest'
import { killFlows } from './kill-flows.ts'

const ROLES = ['consumers', 'command-api', 'projectors', 'query-api'] as const

const chaos = async (roles: readonly ((typeof ROLES)[number] | 'relay')[]) => {
  const victims = Array.from({ length: 20 }, (_, n) => roles[n % roles.length] ?? 'consumers')
  const { doubled, ...result } = await killFlows({ victims, runs: 1_000 })
  console.log(`${victims.length} kills, 1 000 runs: ${doubled} mails left again under the same id`)
  expect(result).toEqual({ kills: 20, finished: 1_000, missing: 0, repeatedSteps: 0, wrongMails: 0 })
}

test('twenty kills of every role among a thousand runs', async () => {
  process.env.TIDINGS_E2E = 'roles'
  await chaos(ROLES)
}, 1_800_000)

test.runIf((await runBroker()) !== null)(
  'twenty kills of every role among a thousand runs over Kafka',
  async () => {
    process.env.TIDINGS_E2E = 'kafka'
    await chaos([...ROLES, 'relay'])
  },
  1_800_000,
)
