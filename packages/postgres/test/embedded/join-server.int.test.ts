import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { until } from '@tidings/testing'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endServerOf } from '../../src/embedded/launch.ts'
import { isServerOf, readPostmaster } from '../../src/embedded/postmaster-pid.ts'
import { startEmbedded } from '../../src/embedded/start-embedded.ts'

const FIXTURE = fileURLToPath(new URL('./owner.fixture.ts', import.meta.url))
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
let pristine: string
let scratch: string
let dataDir: string
let started: ChildProcess[]

beforeAll(async () => {
  pristine = await mkdtemp(join(tmpdir(), 'tidings-joined-'))
  await (await startEmbedded({ dataDir: join(pristine, 'data'), log: quiet })).stop()
})
afterAll(() => rm(pristine, { recursive: true, force: true }))

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'tidings-joined-'))
  dataDir = join(scratch, 'data')
  await promisify(execFile)('cp', ['-a', join(pristine, 'data'), dataDir])
  started = []
})
afterEach(async () => {
  const running = started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  const ends = running.map((child) => once(child, 'exit'))
  for (const child of running) child.kill('SIGKILL')
  await Promise.all(ends)
  await endServerOf(join(dataDir, 'postgres'))
  await rm(scratch, { recursive: true, force: true })
})

type Started = Readonly<{ said: string; end: (signal: NodeJS.Signals) => Promise<unknown> }>

/** A process that serves everything or a part; resolves with the first line it prints. */
async function launch(use: 'whole' | 'part'): Promise<Started> {
  const child = spawn(process.execPath, [FIXTURE, dataDir, use], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  started.push(child)
  const [said] = await once(createInterface({ input: child.stdout }), 'line')
  return {
    said: String(said),
    end: async (signal) => {
      const gone = once(child, 'exit')
      child.kill(signal)
      await gone
    },
  }
}

const cluster = () => join(dataDir, 'postgres')
const serverPid = async (): Promise<number> => (await readPostmaster(cluster()))?.pid ?? -1

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query('select 1')).rowCount === 1
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** A process looks after a server when it starts another one in its place. */
async function expectLookedAfter(url: string): Promise<void> {
  const before = await serverPid()
  process.kill(before, 'SIGKILL')
  await until(async () => {
    expect(await serverPid()).not.toBe(before)
    expect(await answers(url)).toBe(true)
  }, 50)
}

describe('a process that serves a part', () => {
  test('joins the server of the whole service, which stays the only one', async () => {
    const whole = await launch('whole')
    const pid = await serverPid()
    const parts = [await launch('part'), await launch('part')]
    expect(parts.map(({ said }) => said)).toEqual([whole.said, whole.said])
    expect((await launch('whole')).said).toMatch(/^Another Tidings \(process \d+\) already runs on .*TIDINGS_DATA_DIR\.$/)
    for (const part of parts) await part.end('SIGTERM')
    expect(await serverPid()).toBe(pid)
    expect(await answers(whole.said)).toBe(true)
  })

  test.each(['SIGTERM', 'SIGKILL'] as const)('keeps its server and looks after it when the whole service ends by %s', async (signal) => {
    const whole = await launch('whole')
    const pid = await serverPid()
    const part = await launch('part')
    await whole.end(signal)
    expect(await serverPid()).toBe(pid)
    expect(await answers(part.said)).toBe(true)
    await expectLookedAfter(part.said)
  })

  test('lets the whole service start again, and gives the server back to it', async () => {
    const first = await launch('whole')
    const part = await launch('part')
    await first.end('SIGKILL')
    await expectLookedAfter(part.said)
    const again = await launch('whole')
    expect(again.said).toBe(first.said)
    await part.end('SIGKILL')
    await expectLookedAfter(again.said)
  })

  test('may come first, before the whole service', async () => {
    const part = await launch('part')
    const whole = await launch('whole')
    expect(whole.said).toBe(part.said)
    await part.end('SIGTERM')
    expect(await answers(whole.said)).toBe(true)
  })

  test('is refused in one sentence where the server is another host’s', async () => {
    await writeFile(join(dataDir, 'tidings.pid'), 'another-host 1 1')
    // A program touches it too: each of the two may stand still for seconds.
    const touching = setInterval(() => void utimes(join(dataDir, 'tidings.pid'), new Date(), new Date()), 200)
    const beside = spawn('sh', ['-c', 'while touch -c "$0"; do sleep 0.2; done', join(dataDir, 'tidings.pid')], { stdio: 'ignore' })
    started.push(beside)
    const { said } = await launch('part').finally(() => clearInterval(touching))
    expect(said).toBe(
      'The embedded Postgres runs on another host (another-host): start roles there, or set TIDINGS_DATABASE_URL for all of them.',
    )
  })
})

test.each([1, 2, 3])('of processes that end together the last one ends the server (round %i)', async () => {
  const all = [await launch('whole'), await launch('part'), await launch('part')]
  const pid = await serverPid()
  await Promise.all(all.map(({ end }) => end('SIGTERM')))
  expect(await isServerOf(pid, cluster())).toBe(false)
})

test('processes that share a data directory know of each other as long as they live', async () => {
  const own = await startEmbedded({ dataDir, log: quiet, use: 'part' })
  expect(await own.others()).toBe(false)
  const other = await launch('whole')
  expect(await own.others()).toBe(true)
  await other.end('SIGKILL')
  expect(await own.others()).toBe(false)
  await own.stop()
})
