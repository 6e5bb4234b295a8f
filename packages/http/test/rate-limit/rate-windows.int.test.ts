import { randomUUID } from 'node:crypto'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rateWindows } from '../../src/rate-limit/rate-windows.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const WINDOW_MS = 60_000
const DAY_MS = 86_400_000

it('refuses no caller until the end of a window, or of a block, that a clock ahead has written', async () => {
  const windows = rateWindows(db.pool, WINDOW_MS)
  const ask = { key: randomUUID(), limit: 2, want: 3, ahead: 0, window: '0', spent: 0 }
  const [blocked] = await windows.take([ask])
  expect(blocked).toMatchObject({ granted: 2 })
  expect(blocked?.blockedForMs).toBeGreaterThan(0)
  expect(await windows.take([ask])).toMatchObject([{ granted: 0 }])
  for (const column of ['blocked', 'ends']) {
    await db.pool.query(`update ops.rate_window set ${column} = ${column} + $1`, [DAY_MS])
    const [after] = await windows.take([{ ...ask, want: 2 }])
    expect(after).toMatchObject({ granted: 2 })
    expect(after?.endsInMs).toBeLessThanOrEqual(WINDOW_MS)
    expect(await windows.take([{ ...ask, want: 1 }])).toMatchObject([{ granted: 0 }])
  }
})
