import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { runLanes } from './run-lanes.ts'

afterEach(() => vi.useRealTimers())

test('lanes stop without waiting for the next try to reach a database that is away', async () => {
  const away = new pg.Pool()
  await away.end()
  const faults: unknown[] = []
  const first = Promise.withResolvers<void>()
  const onFault = (error: unknown) => {
    faults.push(error)
    first.resolve()
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const lanes = runLanes({ pool: away, kind: 'test', work: async () => 'done', onFault })
  await first.promise
  await lanes.stop()
  expect(faults).toHaveLength(1)
})
