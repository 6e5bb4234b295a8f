import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { patientPool, startTestPostgres, startTestReplica, type TestPostgres } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Installation, install } from './support/installation.ts'
import { type Environment, runTidings } from './support/service-process.ts'

/** Commands that read all of the log, where it is in Postgres and that has a replica. */
let primary: TestPostgres
let replica: TestPostgres
let installation: Installation
let folder: string
let onReplica: Environment
let replicaPool: Pool

const FILE = `workspace: { slug: acme, name: Acme }
senderDomains: [{ domain: acme.example, verified: true }]
tags: [ { name: spring, color: accent } ]`

/** Enough for threads to read them, in an export and in a check. */
const EVENTS = 41_000
const FILLER = `insert into es.event (position, stream_id, revision, event_id, type, data, meta, created)
  select (select max(position) from es.event) + n, 'filler-' || n, 0, gen_random_uuid(), e.type, e.data, e.meta, (select max(created) from es.event)
  from (select * from es.event where type = 'TagCreated' order by position limit 1) e, generate_series(1, ${EVENTS}) n`

const PROJECTION = join(import.meta.dirname, '../../docs/examples/projections/opt-ins.projection.ts')

beforeAll(async () => {
  primary = await startTestPostgres({ settings: { wal_keep_size: '256MB' } })
  replica = await startTestReplica(primary)
  installation = await install(primary.url, { TIDINGS_EVENT_STORE: 'postgres' })
  onReplica = { ...installation.env, TIDINGS_READ_DATABASE_URL: replica.url, TIDINGS_READ_LAG_SECONDS: '600' }
  replicaPool = patientPool({ url: replica.url, max: 1, name: 'test' })
  folder = await mkdtemp(join(tmpdir(), 'tidings-log-on-replicas-'))
  await installation.tidings(['apply', '-f', '-'], FILE)
  await installation.pool.query(FILLER)
})
afterAll(async () => {
  await installation?.close()
  await replica?.stop()
  await primary?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** What a command says, and how many events each server has read for it. */
const run = async (args: readonly string[], env: Environment) => {
  const before = await readCounts()
  const { code, stdout, stderr } = await runTidings(args, env)
  // A session counts when it ends.
  const after = await readCounts()
  return { code, stdout, stderr, primary: after.primary - before.primary, replica: after.replica - before.replica }
}

const readCounts = async () => {
  await expect.poll(async () => (await sessions(installation.pool)) + (await sessions(replicaPool))).toBe(0)
  return { primary: await eventsRead(installation.pool), replica: await eventsRead(replicaPool) }
}
const sessions = async (pool: Pool): Promise<number> =>
  (
    await pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name like 'tidings%'`,
    )
  ).rows[0]!.n
const eventsRead = async (pool: Pool): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    `select (seq_tup_read + idx_tup_fetch)::int as n from pg_stat_user_tables where schemaname = 'es' and relname = 'event'`,
  )
  return rows[0]!.n
}

const exporting = async (env: Environment, ...args: readonly string[]) => {
  const out = join(folder, `${crypto.randomUUID()}.out`)
  const { stdout: _, ...ran } = await run(['log', 'export', '--out', out, ...args], env)
  return { ...ran, bytes: await readFile(out) }
}

const FEW = 100

describe('with a replica', () => {
  it.each([[[]], [['--threads', '1']], [['--sealed']], [['--types', 'TagCreated']], [['--sealed', '--format', 'parquet']]])(
    'log export %j reads the replica, and writes what it writes from the primary',
    async (args) => {
      const there = await exporting(onReplica, ...args)
      const here = await exporting(installation.env, ...args)
      expect(there).toMatchObject({ code: 0, stderr: '' })
      expect(there.bytes.equals(here.bytes)).toBe(true)
      expect(there.primary).toBeLessThan(FEW)
      expect(there.replica).toBeGreaterThanOrEqual(EVENTS)
      expect(here.primary).toBeGreaterThanOrEqual(EVENTS)
    },
  )

  it('projection run reads the replica and writes on the primary', async () => {
    const args = ['projection', 'run', PROJECTION]
    const there = await run([...args, '--schema', 'there'], onReplica)
    const here = await run([...args, '--schema', 'here'], installation.env)
    expect(there).toMatchObject({ code: 0, stderr: '', stdout: here.stdout.replaceAll('here', 'there') })
    expect(there.primary).toBeLessThan(FEW)
  })

  it('log verify reads the replica and says so, and finds what is changed there', async () => {
    const repaired = await run(['log', 'verify', '--repair'], onReplica)
    expect(repaired).toMatchObject({ code: 0, replica: 0 })
    const { code, stdout, primary: read, replica: readThere } = await run(['log', 'verify'], onReplica)
    expect([code, stdout]).toEqual([0, expect.stringContaining('The events were read from ')])
    // Whether two events have one number in one stream is asked of the primary.
    expect(read).toBeLessThan(1.5 * EVENTS)
    expect(readThere).toBeGreaterThanOrEqual(EVENTS)
    await installation.pool.query(`begin; set local es.allow_rewrite = on; update es.event set data = '{}' where position = 3000; commit`)
    expect(await run(['log', 'verify'], onReplica)).toMatchObject({ code: 1, stdout: expect.stringContaining('3000') })
  })
})

describe('a replica that is gone', () => {
  it('leaves the log to the primary, which one line says', async () => {
    await replicaPool.end()
    await replica.kill()
    const args = ['log', 'export', '--out', join(folder, 'gone.ndjson'), '--sealed']
    const { code, stderr } = await runTidings(args, onReplica)
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^The log is read from the primary, because no replica can be read: [^\n]+\n$/),
    ])
    expect((await readFile(join(folder, 'gone.ndjson'))).length).toBeGreaterThan(0)
  })
})
