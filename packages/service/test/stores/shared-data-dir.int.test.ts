import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '@tidings/config'
import { logTo } from '@tidings/observability/log'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Mode } from '../../src/stores/connect-database.ts'
import { openPools, type Pools } from '../../src/stores/open-pools.ts'

const MEMBER = fileURLToPath(new URL('../../../postgres/test/embedded/owner.fixture.ts', import.meta.url))
const log = logTo({ write: () => undefined }, 'silent')
let dataDir: string
let member: ChildProcess | undefined
let opened: Pools[]

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidings-shared-'))
  opened = []
})
afterEach(async () => {
  for (const { close } of opened) await close()
  if (member?.exitCode === null && member.signalCode === null) {
    const gone = once(member, 'exit')
    member.kill('SIGTERM')
    await gone
  }
  await rm(dataDir, { recursive: true, force: true })
})

const open = async (mode: Mode): Promise<Pools> => {
  const pools = await openPools({ config: loadConfig({ TIDINGS_DATA_DIR: dataDir }, null), log, mode })
  opened.push(pools)
  return pools
}

/** Another process that serves the same data directory, in the middle of a call: it works on a job and has no connection open. */
const startMember = async (): Promise<void> => {
  member = spawn(process.execPath, [MEMBER, dataDir, 'part'], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (member.stdout) await once(createInterface({ input: member.stdout }), 'line')
}

const holdJob = async (): Promise<void> => {
  const { pool } = await open('command')
  await pool.query(
    `insert into inbox.job (kind, lane, seq, workspace_id, payload, due_at, token)
     values ('k', 1, 1, gen_random_uuid(), 'held', clock_timestamp() + interval '1 hour', 1)`,
  )
  await opened.pop()?.close()
}

const isHeld = async ({ pool }: Pools): Promise<boolean> =>
  (await pool.query(`select from inbox.job where due_at > clock_timestamp() + interval '1 minute'`)).rowCount === 1

test('what a dead process held is free when the next one starts', async () => {
  await holdJob()
  expect(await isHeld(await open('service'))).toBe(false)
})

test('what another living process holds stays held when one starts beside it', async () => {
  await holdJob()
  await startMember()
  expect(await isHeld(await open('service'))).toBe(true)
})
