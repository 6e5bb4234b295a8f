import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { endServerOf, findRunning } from '@tidings/postgres/embedded'
import { PATIENT_MS, until } from '@tidings/testing'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { freePort } from './support/service-process.ts'

const TIDINGS = join(import.meta.dirname, '../../packages/cli/bin/tidings.mjs')

let folder: string
let dataDir: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  // The first start makes it.
  dataDir = join(folder, 'data')
})
afterEach(async () => {
  await endServerOf(join(dataDir, 'postgres'))
  await rm(folder, { recursive: true, force: true })
})

const exists = (...names: readonly string[]): Promise<boolean> =>
  access(join(dataDir, ...names)).then(
    () => true,
    () => false,
  )

/** The first value of a statement, null while there is no server, no database or no such table. */
const asked = async (text: string): Promise<unknown> => {
  const url = await findRunning(dataDir).catch(() => null)
  if (url === null) return null
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return Object.values((await client.query<Record<string, unknown>>(text)).rows[0] ?? {})[0] ?? null
  } catch {
    return null
  } finally {
    await client.end().catch(() => undefined)
  }
}

const draftOfCluster = async (): Promise<boolean> => {
  const names = await readdir(dataDir).catch(() => [])
  const draft = names.find((name) => name.startsWith('postgres-initdb-'))
  return draft !== undefined && (await exists(draft, 'cluster', 'base'))
}

const hasPrinted = (output: string): boolean => output.includes('Ctrl-C stops Tidings')

type Point = Readonly<{ name: string; isReached: (output: string) => Promise<boolean> }>

/** What a first start does, each seen from outside, in its order. */
const POINTS: readonly Point[] = [
  { name: 'its directory is made', isReached: () => exists() },
  { name: 'the password of its Postgres is made', isReached: () => exists('postgres.password') },
  { name: 'its cluster is half made', isReached: draftOfCluster },
  { name: 'its cluster is made', isReached: () => exists('postgres', 'PG_VERSION') },
  { name: 'its Postgres starts', isReached: () => exists('postgres', 'postmaster.pid') },
  { name: 'its database is there', isReached: async () => (await asked('select 1')) === 1 },
  { name: 'a migration has run', isReached: async () => (await asked('select 1 from public.schema_migration')) === 1 },
  { name: 'its master key is made', isReached: () => exists('master.key') },
  { name: 'it is about to make its workspace', isReached: () => exists('demo-unprinted') },
  { name: 'its workspace is made', isReached: async () => (await asked("select 1 from es.event where type = 'WorkspaceCreated'")) === 1 },
  { name: 'its owner is there', isReached: async () => (await asked("select 1 from es.event where type = 'UserConfigured'")) === 1 },
  { name: 'the link of its owner is made', isReached: async () => (await asked('select 1 from ops.sign_in_link')) === 1 },
  { name: 'it has printed its key', isReached: async (output) => hasPrinted(output) },
]

const start = async () => {
  const port = String(await freePort())
  const env = {
    PATH: process.env.PATH,
    TIDINGS_DATA_DIR: dataDir,
    TIDINGS_PROCESSES: '1',
    PORT: port,
    TIDINGS_DATABASE_WAIT_MS: String(PATIENT_MS),
  }
  const child = spawn(process.execPath, [TIDINGS, 'start'], { env, stdio: 'pipe' })
  const said = { text: '' }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said.text += text))
  const ended = once(child, 'close')
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    await ended
  }
  const isGone = () => child.exitCode !== null || child.signalCode !== null
  return { url: `http://127.0.0.1:${port}`, output: () => said.text, isGone, end }
}

/** Kills a start at the point, as fast as it is seen there. */
const killAt = async ({ name, isReached }: Point, alsoKill: () => Promise<void>): Promise<string> => {
  const started = await start()
  while (!(await isReached(started.output()))) {
    if (started.isGone()) throw new Error(`it ended before ${name}: ${started.output()}`)
    await sleep(1)
  }
  await started.end('SIGKILL')
  await alsoKill()
  return started.output()
}

/** The server of this directory, where one answers. */
const killServer = async (): Promise<void> => {
  if ((await findRunning(dataDir).catch(() => null)) === null) return
  const [pid] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
  process.kill(Number(pid), 'SIGKILL')
}

const keyIn = (output: string): string | undefined => /sk_evt_[0-9a-f]{64}/.exec(output)?.[0]
const linkIn = (output: string): string | undefined => /dashboard\/link#([\w-]+)/.exec(output)?.[1]

const answerTo = async (url: string, key = ''): Promise<number> =>
  (await fetch(`${url}/api/v1/public/profiles`, { headers: { 'X-Sender-Tenant': 'demo', 'X-API-Key': key } })).status
const signIn = async (url: string, token = ''): Promise<number> => {
  const headers = { 'Content-Type': 'application/json' }
  return (await fetch(`${url}/api/v1/auth/link`, { method: 'POST', headers, body: JSON.stringify({ token }) })).status
}

it.each([
  ['', async () => undefined],
  [' together with its Postgres', killServer],
])('a first start that is killed anywhere%s is gone on with by the next, and what one has printed works', async (_, alsoKill) => {
  const outputs: string[] = []
  for (const point of POINTS) {
    // It was faster than the kill at the point before: no later start prints a key.
    if (outputs.some(hasPrinted)) break
    const output = await killAt(point, alsoKill)
    outputs.push(output)
    // The lines of the log alone, and never a stack among them.
    expect(output, point.name).not.toMatch(/^ +at /m)
    expect(output, point.name).not.toMatch(/"level":"fatal"/)
  }
  const printed = outputs.filter(hasPrinted).join('')
  expect(printed).not.toBe('')
  const last = await start()
  await until(async () => expect((await fetch(`${last.url}/health/ready`).catch(() => null))?.status).toBe(200))
  expect(await answerTo(last.url, keyIn(printed))).toBe(200)
  expect(await signIn(last.url, linkIn(printed))).toBe(200)
  const workspaces = await asked("select count(*)::int from es.event where type = 'WorkspaceCreated' and stream_id like 'workspace-%'")
  const owners = await asked("select count(*)::int from es.event where type = 'UserConfigured'")
  expect({ workspaces, owners }).toEqual({ workspaces: 1, owners: 1 })
  // A start that is killed between its print and its note of it is followed by one that prints a key of its own.
  await until(async () => expect(await exists('demo-unprinted')).toBe(false))
  await last.end('SIGTERM')
  const next = await start()
  await until(() => expect(next.output()).toContain('Tidings is ready'))
  expect(keyIn(next.output())).toBeUndefined()
  await next.end('SIGTERM')
})
