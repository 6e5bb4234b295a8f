import { loadConfig } from '@tidings/config'
import { Unavailable } from '@tidings/event-store'
import { createLog } from '@tidings/observability/log'
import { startProjectors } from '@tidings/projectors'
import { openStores, type Stores } from '@tidings/service/stores'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDemo } from '../../packages/cli/src/demo/demo.ts'

let db: TestDatabase
let stores: Stores
let projectors: ReturnType<typeof startProjectors>

beforeAll(async () => {
  db = await testDatabase()
  const env = { TIDINGS_DATABASE_URL: db.url, TIDINGS_MASTER_KEY: '11'.repeat(32), TIDINGS_LOG_LEVEL: 'error' }
  stores = await openStores({ config: loadConfig(env, null), log: await createLog({ level: 'error' }), mode: 'command' })
  projectors = startProjectors({ log: stores.log, pool: stores.workPool })
})
afterAll(async () => {
  await projectors?.stop()
  await stores?.close()
  await db?.drop()
})

/** A log whose every second append is done and has no answer, and whose first reads have none. */
const poorLog = (): Stores['log'] => {
  let reads = 0
  let appends = 0
  return {
    ...stores.log,
    readStream: async (...asked) => {
      if (++reads <= 2) throw new Unavailable('the log does not answer')
      return await stores.log.readStream(...asked)
    },
    append: async (...asked) => {
      const appended = await stores.log.append(...asked)
      if (++appends % 2 === 0 && appends < 8) throw new Unavailable('the log does not answer')
      return appended
    },
  }
}

test('the first run tells a key that works, however often the log does not answer while the workspace is made', async () => {
  const demo = await createDemo({ ...stores, log: poorLog() }, () => false)
  expect(demo).toMatchObject({ slug: 'demo', key: expect.stringMatching(/^sk_evt_[0-9a-f]{64}$/), linkToken: expect.any(String) })
  // A read side that is late does not delay a start further than ten seconds.
  await expect.poll(async () => (await db.pool.query('select name from read.workspaces')).rows).toEqual([{ name: 'Demo' }])
  expect(await createDemo(stores, () => false)).toBeNull()
})

test('a stop ends the attempts', async () => {
  const away = { ...stores.log, readStream: () => Promise.reject(new Unavailable('the log does not answer')) }
  await expect(createDemo({ ...stores, log: away }, () => true)).rejects.toThrow('does not answer')
})
