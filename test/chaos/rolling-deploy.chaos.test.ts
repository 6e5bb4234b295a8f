import { runBroker } from '@tidings/testing/kafka'
import { expect, onTestFinished, test } from 'vitest'
import { layOutBefore } from './rolling-deploy.before.ts'
import { NOTHING_FAILED, rollingDeploy } from './rolling-deploy.ts'

process.env.TIDINGS_E2E = (await runBroker()) === null ? 'roles' : 'kafka'

const ROUNDS = Number(process.env.CHAOS_ROUNDS ?? 3)
const LOADED = { clients: 6, thinkMs: 25, betweenMs: 3_000 } as const
const thereAndBack = (rounds: number) => Array.from({ length: rounds }, () => ['this', 'before'] as const).flat()

test('the version before is replaced role by role, and comes back role by role: no request fails, nothing is sent twice or lost', async () => {
  const before = await layOutBefore(process.env.CHAOS_BEFORE)
  onTestFinished(before.remove)
  console.log(`the version before is ${before.name}`)
  const result = await rollingDeploy({ ...LOADED, before, leaves: 'removed', course: thereAndBack(ROUNDS) })
  console.table(result)
  expect(result).toMatchObject(NOTHING_FAILED)
  expect(result.ackedSends).toBeGreaterThan(result.replaced)
}, 7_200_000)

test('a gateway that knows readiness alone fails no request while each role is replaced twice', async () => {
  const result = await rollingDeploy({ ...LOADED, before: null, leaves: 'not ready', course: thereAndBack(1) })
  console.table(result)
  expect(result).toMatchObject(NOTHING_FAILED)
  expect(result.ackedSends).toBeGreaterThan(result.replaced)
}, 3_600_000)
