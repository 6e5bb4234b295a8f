import { runBroker } from '@tidings/testing/kafka'
import { expect, onTestFinished, test } from 'vitest'
import { layOutBefore } from './rolling-deploy.before.ts'
import { NOTHING_FAILED, rollingDeploy } from './rolling-deploy.ts'

process.env.TIDINGS_E2E = (await runBroker()) === null ? 'roles' : 'kafka'

const LOADED = { clients: 6, thinkMs: 25, betweenMs: 3_000 } as const

test('the version before is replaced role by role, and comes back role by role: no request fails, nothing is sent twice or lost', async () => {
  const before = await layOutBefore()
  onTestFinished(before.remove)
  console.log(`the version before is ${before.name}`)
  const result = await rollingDeploy({ ...LOADED, before, leaves: 'removed', back: true })
  console.table(result)
  expect(result).toMatchObject(NOTHING_FAILED)
  expect(result.ackedSends).toBeGreaterThan(result.replaced)
}, 3_600_000)

test('a gateway that knows readiness alone fails no request while each role is replaced twice', async () => {
  const result = await rollingDeploy({ ...LOADED, before: null, leaves: 'not ready', back: true })
  console.table(result)
  expect(result).toMatchObject(NOTHING_FAILED)
  expect(result.ackedSends).toBeGreaterThan(result.replaced)
}, 3_600_000)
