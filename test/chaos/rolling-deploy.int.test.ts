import { expect, test } from 'vitest'
import { CALM_THINK_MS } from './kill-service.client.ts'
import { NOTHING_FAILED, rollingDeploy } from './rolling-deploy.ts'

test('each role replaced once behind a gateway that looks at readiness: no request fails, nothing is sent twice or lost', async () => {
  const result = await rollingDeploy({
    before: null,
    leaves: 'not ready',
    course: ['this'],
    clients: 2,
    thinkMs: CALM_THINK_MS,
    betweenMs: 0,
  })
  expect(result).toMatchObject(NOTHING_FAILED)
  expect(result.ackedSends).toBeGreaterThan(0)
  expect(result.ackedWrites).toBeGreaterThan(0)
  expect(result.reads).toBeGreaterThan(0)
}, 1_200_000)
