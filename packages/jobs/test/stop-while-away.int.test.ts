import { stopWhileAway } from '@tidings/testing'
import { expect, test } from 'vitest'
import { runLanes } from '../src/run-lanes.ts'

test('lanes stop without waiting for the next try to reach a database that is away', async () => {
  const faults = await stopWhileAway((away) => runLanes({ ...away, kind: 'test', work: async () => 'done' }))
  expect(faults).toHaveLength(1)
})
