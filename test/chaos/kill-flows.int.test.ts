import { runBroker } from '@tidings/testing/kafka'
import { expect, test } from 'vitest'
import { killFlows } from './kill-flows.ts'

const kafka = await runBroker()
process.env.TIDINGS_E2E = kafka === null ? 'roles' : 'kafka'

test('roles that are killed while contacts walk through a flow leave no step out and take none twice', async () => {
  const victims = ['consumers', 'command-api', 'consumers', 'projectors', ...(kafka === null ? [] : (['relay'] as const))] as const
  const { doubled, ...result } = await killFlows({ victims, runs: 30 })
  expect(result).toEqual({ kills: victims.length, finished: 30, missing: 0, repeatedSteps: 0, wrongMails: 0 })
  expect(doubled).toBeLessThanOrEqual(victims.length * 30)
}, 1_200_000)
