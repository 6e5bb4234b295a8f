import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endServerOf } from '@tidings/postgres/embedded'
import { afterEach, beforeEach, expect, it } from 'vitest'

const BIN = join(import.meta.dirname, '../../packages/cli/bin')

let dataDir: string
let dev: ChildProcess
let output: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  const env = { ...process.env, TIDINGS_DATA_DIR: dataDir, PORT: '0' }
  dev = spawn(process.execPath, [join(BIN, 'dev.mjs')], { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  output = ''
  dev.stdout?.on('data', (piece: Buffer) => {
    output += piece.toString()
  })
})
afterEach(async () => {
  if (dev.exitCode === null) {
    const ended = once(dev, 'exit')
    dev.kill('SIGTERM')
    await ended
  }
  await endServerOf(join(dataDir, 'postgres'))
  await rm(dataDir, { recursive: true, force: true })
})

const count = (text: string): number => output.split(text).length - 1
/** At least so many: a watcher that stood still may hear of one change twice. */
const startsAre = (starts: number): Promise<void> => expect.poll(() => count('Tidings is ready"')).toBeGreaterThanOrEqual(starts)

/** Signals every process of the group, as a terminal does. */
const pressCtrlC = (): boolean => process.kill(-(dev.pid ?? 0), 'SIGINT')

it('npm run dev starts the service again when a file changes, makes pages anew, and Ctrl-C stops it with the embedded Postgres', async () => {
  await startsAre(1)
  const now = new Date()
  await utimes(join(BIN, 'tidings.mjs'), now, now)
  await startsAre(2)
  await utimes(join(BIN, '../../../dashboard/src/main.tsx'), now, now)
  await expect.poll(() => count('The pages of the dashboard were made anew')).toBeGreaterThanOrEqual(1)
  expect(count('stopping: finishing what is under way')).toBeGreaterThan(0)
  expect(count('Found the embedded Postgres still running')).toBe(0)
  const ended = once(dev, 'exit')
  pressCtrlC()
  expect(await ended).toEqual([0, null])
  await expect(access(join(dataDir, 'postgres', 'postmaster.pid'))).rejects.toThrow('ENOENT')
})
