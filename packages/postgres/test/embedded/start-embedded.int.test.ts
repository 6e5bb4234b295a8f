import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort, until } from '@tidings/testing'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { endServerOf } from '../../src/embedded/launch.ts'
import { isServerOf, readPostmaster } from '../../src/embedded/postmaster-pid.ts'
import { findRunning, startEmbedded } from '../../src/embedded/start-embedded.ts'

const FIXTURE = fileURLToPath(new URL('./owner.fixture.ts', import.meta.url))
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
let pristine: string
let scratch: string
let dataDir: string
let owners: ChildProcess[]

// Each test starts real servers, several of them twice.
/** A data directory as a first start and a clean stop leave it; tests work on copies. */
beforeAll(async () => {
  pristine = await mkdtemp(join(tmpdir(), 'tidings-embedded-'))
  await (await startEmbedded({ dataDir: join(pristine, 'data'), log: quiet })).stop()
})

afterAll(() => rm(pristine, { recursive: true, force: true }))

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'tidings-embedded-'))
  dataDir = await copyTo(join(scratch, 'data'))
  owners = []
})

afterEach(async () => {
  const running = owners.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  // All are listened to before any is waited for: one may end by itself meanwhile.
  const ends = running.map((child) => once(child, 'exit'))
  for (const child of running) child.kill('SIGKILL')
  await Promise.all(ends)
  await endServerOf(join(dataDir, 'postgres'))
  await rm(scratch, { recursive: true, force: true })
})

/** Copies with owners and modes, which Node's own copy loses. */
async function copyTo(paths: string): Promise<string> {
  await promisify(execFile)('cp', ['-a', join(pristine, 'data'), paths])
  return paths
}

/** Starts a process that owns the data directory; resolves with the first line it prints. */
async function owner(): Promise<{ process: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [FIXTURE, dataDir], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  owners.push(child)
  const [said] = await once(createInterface({ input: child.stdout }), 'line')
  return { process: child, said: String(said) }
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function serverPid(): Promise<number> {
  return (await readPostmaster(join(dataDir, 'postgres')))?.pid ?? -1
}

test('a stop by SIGTERM ends the server, and the next start finds everything as it was', async () => {
  const first = await owner()
  await query(first.said, 'create table kept as select 7 as n')
  const pid = await serverPid()
  first.process.kill('SIGTERM')
  await once(first.process, 'exit')
  expect(await isServerOf(pid, join(dataDir, 'postgres'))).toBe(false)
  expect(await findRunning(dataDir)).toBeNull()
  const second = await owner()
  expect(await query(second.said, 'select n from kept')).toEqual([{ n: 7 }])
  expect(await findRunning(dataDir)).toBe(second.said)
})

test('the server is UTF-8, orders by bytes and commits durably', async () => {
  const { said } = await owner()
  const settings = `select current_setting('server_encoding') as encoding, current_setting('fsync') as fsync,
    current_setting('synchronous_commit') as commit, 'a' < 'B' as words_before_bytes, upper('é') as upper`
  expect(await query(said, settings)).toEqual([{ encoding: 'UTF8', fsync: 'on', commit: 'on', words_before_bytes: false, upper: 'É' }])
})

test('the random password of Tidings is not stretched, and any other is', async () => {
  const { said } = await owner()
  await query(said, `create role analyst login password 'of a person'`)
  const stretched = `select rolname as role, split_part(split_part(rolpassword, '$', 2), ':', 1) as times from pg_authid
    where rolpassword is not null order by 1`
  expect(await query(said, stretched)).toEqual([
    { role: 'analyst', times: '4096' },
    { role: 'tidings', times: '1' },
  ])
})

test('after kill -9 of Tidings its server is adopted', async () => {
  const first = await owner()
  const pid = await serverPid()
  first.process.kill('SIGKILL')
  await once(first.process, 'exit')
  const second = await owner()
  expect(second.said).toBe(first.said)
  expect(await serverPid()).toBe(pid)
})

test('after kill -9 of Tidings and its server the committed rows are there', async () => {
  const first = await owner()
  await query(first.said, 'create table kept as select 7 as n')
  process.kill(await serverPid(), 'SIGKILL')
  first.process.kill('SIGKILL')
  await once(first.process, 'exit')
  const second = await owner()
  expect(await query(second.said, 'select n from kept')).toEqual([{ n: 7 }])
})

test('after kill -9 of Tidings a server that hangs is replaced', async () => {
  const first = await owner()
  await query(first.said, 'create table kept as select 7 as n')
  const pid = await serverPid()
  process.kill(pid, 'SIGSTOP')
  first.process.kill('SIGKILL')
  await once(first.process, 'exit')
  const second = await owner()
  expect(await serverPid()).not.toBe(pid)
  expect(await query(second.said, 'select n from kept')).toEqual([{ n: 7 }])
})

test('a server that dies under a running Tidings is started again at the same address', async () => {
  const { said } = await owner()
  const pid = await serverPid()
  process.kill(pid, 'SIGKILL')
  await until(async () => expect(await query(said, 'select 1 as n')).toEqual([{ n: 1 }]), 100)
  expect(await serverPid()).not.toBe(pid)
})

test('a second Tidings on the same data directory is refused in one sentence', async () => {
  const first = await owner()
  const second = await owner()
  expect(second.said).toBe(
    `Another Tidings (process ${first.process.pid}) already runs on ${dataDir}: stop it, or give this one another TIDINGS_DATA_DIR.`,
  )
  expect(await query(first.said, 'select 1 as n')).toEqual([{ n: 1 }])
})

test('a Ctrl-C sent to the process group does not reach the server', async () => {
  const { process: child, said } = await owner()
  process.kill(-(child.pid ?? 0), 'SIGINT')
  expect(await query(said, 'select 1 as n')).toEqual([{ n: 1 }])
})

test('a process id that was reused does not keep the server from starting', async () => {
  const first = await owner()
  const stale = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')
  first.process.kill('SIGTERM')
  await once(first.process, 'exit')
  await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), stale.replace(/^\d+/, String(process.pid)))
  const second = await owner()
  expect(await query(second.said, 'select 1 as n')).toEqual([{ n: 1 }])
})

test('where the path is too long for a socket the server keeps one port of 127.0.0.1', async () => {
  dataDir = await copyTo(join(scratch, 'a'.repeat(120)))
  // A first start takes what the system hands out, which another process may be given while the server is down.
  const port = await freePort()
  await writeFile(join(dataDir, 'postgres.port'), String(port))
  const first = await owner()
  expect(first.said).toMatch(new RegExp(`@127\\.0\\.0\\.1:${port}/tidings$`))
  first.process.kill('SIGTERM')
  await once(first.process, 'exit')
  expect((await owner()).said).toBe(first.said)
})

test('a first start that was interrupted leaves nothing behind once the next one has run', async () => {
  dataDir = join(scratch, 'interrupted')
  await mkdir(join(dataDir, 'postgres-initdb-abc123', 'cluster'), { recursive: true })
  const { said } = await owner()
  expect(await query(said, 'select 1 as n')).toEqual([{ n: 1 }])
  expect((await readdir(dataDir)).sort()).toEqual(['members', 'postgres', 'postgres.log', 'postgres.password', 'tidings.pid'])
})

test('a data directory that cannot be written is one sentence', async () => {
  await writeFile(join(scratch, 'file'), '')
  for (const impossible of [join(scratch, 'file', 'data'), '/proc/tidings']) {
    await expect(startEmbedded({ dataDir: impossible, log: quiet })).rejects.toThrow(
      new RegExp(`^The data directory ${impossible} cannot be written: make it writable .* or set TIDINGS_DATA_DIR to another place\\.$`),
    )
  }
})

test('a cluster whose password is missing is refused by the name of its file, which is not made anew', async () => {
  const file = join(dataDir, 'postgres.password')
  const password = await readFile(file, 'utf8')
  await rm(file)
  await expect(startEmbedded({ dataDir, log: quiet })).rejects.toThrow(
    `There is no ${file}, the password of the database beside it: put that file back`,
  )
  expect(await readdir(dataDir)).not.toContain('postgres.password')
  await writeFile(file, password, { mode: 0o600 })
  await (await startEmbedded({ dataDir, log: quiet })).stop()
})
