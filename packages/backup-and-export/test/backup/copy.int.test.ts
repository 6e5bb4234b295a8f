import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { copyIn, copyOut, streamTable } from '../../src/backup/copy-tables.ts'

const ignore = () => undefined

let db: TestDatabase
let client: PoolClient
let folder: string
beforeAll(async () => {
  db = await testDatabase()
  client = await db.pool.connect()
  folder = await mkdtemp(join(tmpdir(), 'tidings-copy-'))
})
afterAll(async () => {
  client.release(true)
  await db.drop()
  await rm(folder, { recursive: true })
})

const AWKWARD = ['line\nbreak', 'tab\there', 'back\\slash', '\\N', '\\.', '', 'ü€😀', '{"a":"\\n"}']

it('a table comes back as it was, whatever its values look like', async () => {
  await client.query(
    `insert into es.event (position, stream_id, revision, event_id, type, data, meta, created)
     select n, 's', n, gen_random_uuid(), v, v, v, clock_timestamp() from unnest($1::text[]) with ordinality t(v, n)`,
    [AWKWARD],
  )
  const before = (await client.query('select * from es.event order by position')).rows
  const file = join(folder, 'es.event')
  const onRows = vi.fn()
  const table = await copyOut(client, { table: 'es.event', file, onRows })
  expect(table).toMatchObject({ name: 'es.event', rows: AWKWARD.length, bytes: (await stat(file)).size })
  expect(onRows.mock.calls.flat()).toEqual([AWKWARD.length])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await client.query(`begin; set local es.allow_rewrite = 'on'; delete from es.event; commit`)
  await copyIn(client, { table, file, onBytes: ignore })
  expect((await client.query('select * from es.event order by position')).rows).toEqual(before)
})

it('a file with fewer rows than it should have is refused', async () => {
  const file = join(folder, 'ops.content')
  const table = await copyOut(client, { table: 'ops.content', file, onRows: ignore })
  await expect(copyIn(client, { table: { ...table, rows: 1 }, file, onBytes: ignore })).rejects.toThrow(
    /holds 0 rows instead of 1: the backup is damaged/,
  )
})

it('when the disk does not take any more, Postgres waits: nothing is gathered in between', async () => {
  await client.query(
    `insert into ops.content (workspace_id, id, subject, sealed)
     select gen_random_uuid(), gen_random_uuid(), 's', decode(repeat(md5(n::text), 4096), 'hex') from generate_series(1, 1000) n`,
  )
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const stuck: (() => void)[] = []
  const disk = new Writable({ write: (_piece, _encoding, done) => void stuck.push(done) })
  const copied = streamTable(client, { table: 'ops.content', onRows: ignore, onBytes: ignore }, disk)
  // A copy that ran on would end with the backend waiting for a client that has nothing to say.
  await until(async () => {
    const { rows: waiting } = await db.pool.query('select wait_event from pg_stat_activity where pid = $1', [rows[0]?.pid])
    expect(waiting).toEqual([{ wait_event: 'ClientWrite' }])
  })
  disk.destroy(new Error('no disk'))
  await expect(copied).rejects.toThrow('no disk')
})
