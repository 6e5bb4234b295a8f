import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '@tidings/config'
import { logTo } from '@tidings/log'
import { createPool } from '@tidings/postgres'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connectDatabase } from './connect-database.ts'

let dataDir: string

vi.setConfig({ testTimeout: 60_000 })

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidings-connect-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

test('the embedded Postgres keeps as much for pages as the operator says', async () => {
  const config = loadConfig({ TIDINGS_DATA_DIR: dataDir, TIDINGS_EMBEDDED_BUFFERS_MB: '48' }, null)
  const database = await connectDatabase(config, logTo({ write: () => undefined }, 'silent'), 'service')
  const pool = createPool({ url: database.url, max: 1, name: 'test' })
  try {
    expect((await pool.query('show shared_buffers')).rows).toEqual([{ shared_buffers: '48MB' }])
  } finally {
    await pool.end()
    await database.close()
  }
})
