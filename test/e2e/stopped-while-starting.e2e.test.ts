import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endServerOf } from '@tidings/postgres/embedded'
import { afterEach, beforeEach, expect, it } from 'vitest'

const TIDINGS = join(import.meta.dirname, '../../packages/cli/bin/tidings.mjs')

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
})
afterEach(async () => {
  await endServerOf(join(dataDir, 'postgres'))
  await rm(dataDir, { recursive: true, force: true })
})

const hasServer = (): Promise<boolean> =>
  access(join(dataDir, 'postgres', 'postmaster.pid')).then(
    () => true,
    () => false,
  )

it('a service that is asked to stop while it starts ends the embedded Postgres that it has begun', async () => {
  const env = { ...process.env, TIDINGS_DATA_DIR: dataDir, TIDINGS_LOG_LEVEL: 'error', TIDINGS_PROCESSES: '1', PORT: '0' }
  const service = spawn(process.execPath, [TIDINGS, 'start'], { env, stdio: 'ignore' })
  const ended = once(service, 'exit')
  await expect.poll(hasServer).toBe(true)
  service.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(await hasServer()).toBe(false)
})
