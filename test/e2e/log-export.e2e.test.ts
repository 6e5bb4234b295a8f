import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Installation, install } from './support/installation.ts'
import { runTidings } from './support/service-process.ts'

/** `log export` as an operator calls it, without a service. */
let database: TestDatabase
let installation: Installation
let folder: string

const FILE = `workspace: { slug: acme, name: Acme }
senderDomains: [{ domain: acme.example, verified: true }]
tags: [ { name: spring, color: accent } ]`

beforeAll(async () => {
  database = await testDatabase()
  installation = await install(database.url, { TIDINGS_EVENT_STORE: 'postgres' })
  folder = await mkdtemp(join(tmpdir(), 'tidings-export-e2e-'))
  await installation.tidings(['apply', '-f', '-'], FILE)
  await installation.tidings(['apply', '-f', '-'], FILE.replaceAll('acme', 'beta').replace('Acme', 'Beta'))
})
afterAll(async () => {
  await installation?.close()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

type Line = Readonly<{ position: string; type: string; workspaceId: string; data: Record<string, unknown> }>
type Exported = Readonly<{ events: number; from: string | null; to: string; file: string }>

const linesOf = async (file: string): Promise<readonly Line[]> =>
  (await readFile(file, 'utf8')).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
const exporting = async (file: string, ...args: readonly string[]): Promise<Exported> =>
  (await installation.tidings(['log', 'export', '--out', join(folder, file), ...args])) as Exported
const refused = async (...args: readonly string[]) => {
  const { code, stderr, stdout } = await runTidings(['log', 'export', ...args], installation.env)
  return { code, stderr, stdout }
}
const head = async () => (await installation.pool.query<{ n: string }>('select max(position) as n from es.event')).rows[0]?.n

it('exports the whole log, or what is asked for, and says where the next export goes on', async () => {
  const all = await exporting('all.ndjson')
  const lines = await linesOf(all.file)
  expect(all).toEqual({ events: lines.length, from: null, to: String(await head()).padStart(20, '0'), file: join(folder, 'all.ndjson') })
  expect(lines.map(({ position }) => position)).toEqual(lines.map(({ position }) => position).toSorted())
  const tags = await exporting('tags.ndjson', '--types', 'TagCreated,ContactCreated', '--workspace', 'acme')
  expect((await linesOf(tags.file)).map(({ type, data }) => [type, data.name])).toEqual([['TagCreated', 'spring']])
  const middle = lines[2]?.position ?? ''
  const rest = await exporting('rest.ndjson', '--from', middle)
  expect(rest).toMatchObject({ from: middle, events: lines.length - 3 })
  expect(await exporting('none.ndjson', '--from', all.to)).toMatchObject({ events: 0, from: all.to, to: all.to })
  expect(await exporting('sealed.parquet', '--sealed', '--format', 'parquet')).toMatchObject({ events: lines.length })
  expect((await readFile(join(folder, 'sealed.parquet'))).subarray(0, 4).toString()).toBe('PAR1')
})

it('refuses in one sentence what cannot be done, and makes no file', async () => {
  const file = join(folder, 'refused.ndjson')
  expect(await refused('--out', file, '--types', 'TagCreated,NoSuchEvent')).toMatchObject({
    code: 1,
    stderr: 'There is no event type NoSuchEvent: see docs/reference/events.md.\n',
  })
  expect(await refused('--out', file, '--workspace', 'nowhere')).toMatchObject({ code: 1, stdout: '' })
  expect(await refused('--out', file, '--from', 'yesterday')).toMatchObject({ code: 2, stdout: '' })
  expect(await refused('--out', file, '--format', 'csv')).toMatchObject({ code: 2, stdout: '' })
  await expect(stat(file)).rejects.toThrow('ENOENT')
  await exporting('there.ndjson')
  const again = await refused('--out', join(folder, 'there.ndjson'))
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('there.ndjson exists: name another file') })
})

const FILLER = `insert into es.event (position, stream_id, revision, event_id, type, data, meta, created)
  select (select max(position) from es.event) + n, 'filler-' || n, 0, gen_random_uuid(), e.type, e.data, e.meta, (select max(created) from es.event)
  from (select * from es.event where type = 'TagCreated' order by position limit 1) e, generate_series(1, $1) n`

/** A module whose process is killed as soon as `file` has more than `bytes`. */
const killedAt = (file: string, bytes: number) => `import { statSync } from 'node:fs'
setInterval(() => {
  if ((statSync(${JSON.stringify(file)}, { throwIfNoEntry: false })?.size ?? 0) > ${bytes}) process.kill(process.pid, 'SIGKILL')
}, 1).unref()`

it('killed, the same call goes on: every event once and in order', { timeout: 600_000 }, async () => {
  await installation.pool.query(FILLER, [60_000])
  const file = join(folder, 'killed.ndjson')
  const main = fileURLToPath(new URL('../../packages/cli/bin/tidings.mjs', import.meta.url))
  // It kills itself: another process that stood still for a moment would find the export at its end.
  const args = ['--import', `data:text/javascript,${encodeURIComponent(killedAt(file, 1_000_000))}`, main, 'log', 'export', '--out', file]
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...installation.env }, stdio: 'ignore' })
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
  const left = (await stat(file)).size
  const again = await exporting('killed.ndjson')
  const lines = await linesOf(file)
  expect(lines.map(({ position }) => Number(position))).toEqual(Array.from({ length: Number(await head()) }, (_, n) => n + 1))
  expect(again.events).toBe(lines.length)
  expect(left).toBeGreaterThan(1_000_000)
  expect(left).toBeLessThan((await stat(file)).size)
  await expect(stat(`${file}.unfinished.json`)).rejects.toThrow('ENOENT')
})
