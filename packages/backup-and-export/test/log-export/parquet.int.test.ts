import { readFile, stat, writeFile } from 'node:fs/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ExportedEvent } from '../../src/log-export/exported-event.ts'
import { parquet } from '../../src/log-export/parquet.ts'
import { unfinishedPath } from '../../src/log-export/unfinished.ts'
import { ACME, openWorld, type World } from './notes.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

/** What DuckDB answers, as JSON values. */
const ask = async (sql: string) => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

test('DuckDB reads every column of an event', async () => {
  await world.note(1, { text: 'hello "you" 😀\n' })
  const [stored] = (await world.store.readAll('start', 1)).events
  const file = world.newFile()
  expect(await world.export(file, { format: 'parquet' })).toMatchObject({ events: 1, to: '00000000000000000001' })
  const [row] = await ask(
    `select *, data->>'text' as text, epoch_ms(stored_at) as ms, epoch_ms(requested_at) as asked from read_parquet('${file}')`,
  )
  expect(row).toMatchObject({
    ...{ position: '00000000000000000001', stream: `note-${ACME}-1`, revision: 0, type: 'NoteTaken', workspace_id: ACME, contact_id: null },
    ...{
      id: stored?.id,
      erased: false,
      text: 'hello "you" 😀\n',
      actor: 'test',
      request_id: 'test',
      causation_id: null,
      schema_version: 1,
    },
    ...{ ms: String(Date.parse(stored?.created ?? '')), asked: String(Date.parse('2026-01-01T00:00:00.000Z')) },
  })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('sealed, nothing personal is in the file, and an empty export is a table without rows', async () => {
  await world.note(1, { text: 'secret' })
  const file = world.newFile()
  await world.export(file, { format: 'parquet', sealed: true })
  expect(await ask(`select erased, data like '%$enc%' as sealed, data like '%secret%' as leaked from read_parquet('${file}')`)).toEqual([
    { erased: null, sealed: true, leaked: false },
  ])
  const empty = world.newFile()
  await world.export(empty, { format: 'parquet', types: ['DayEnded'] })
  expect(await ask(`select count(*)::int as rows, count(type)::int as types from read_parquet('${empty}')`)).toEqual([
    { rows: 0, types: 0 },
  ])
})

const event = (n: number): ExportedEvent => ({
  ...{ position: String(n).padStart(20, '0'), at: '2026-01-01T00:00:00.000Z', stream: `contact-${ACME}-${ACME}`, revision: n },
  ...{
    type: n % 2 === 0 ? 'Even' : 'Odd',
    workspaceId: ACME,
    id: ACME,
    erased: n % 3 === 0 ? null : false,
    ended: null,
    data: `{"n":${n}}`,
  },
  meta: `{"workspaceId":"${ACME}","actor":"a${n}","requestId":"r","schemaVersion":1,"at":"2026-01-01T00:00:00.000Z"}`,
})

test('whenever it is continued, DuckDB reads every event once and in order', async () => {
  const group = { events: 3, chars: 1_000_000 }
  for (let stop = 0; stop <= 10; stop++) {
    const first = parquet({ bytes: 0, state: null, group })
    let whole = Buffer.alloc(0)
    let known = { bytes: 0, state: null as string | null, events: 0 }
    for (let n = 0; n < stop; n++) {
      whole = Buffer.concat([whole, first.add([event(n)])])
      if (first.isWhole()) known = { bytes: whole.length, state: first.state(), events: n + 1 }
    }
    const second = parquet({ ...known, group })
    let rest = whole.subarray(0, known.bytes)
    for (let n = known.events; n < 10; n++) rest = Buffer.concat([rest, second.add([event(n)])])
    const file = world.newFile()
    await writeFile(file, Buffer.concat([rest, second.end()]))
    const [row] = await ask(
      `select count(*)::int as rows, list((data->>'n')::int order by position) as ns, min(actor) as first, max(actor) as last, count(contact_id)::int as contacts from read_parquet('${file}')`,
    )
    expect(row).toEqual({ rows: 10, ns: Array.from({ length: 10 }, (_, n) => n), first: 'a0', last: 'a9', contacts: 10 })
    expect(await ask(`select count(*)::int as odd from read_parquet('${file}') where type = 'Odd' and actor >= 'a7'`)).toEqual([{ odd: 2 }])
  }
})

test('an export that failed goes on, and is the same table', async () => {
  for (const n of [1, 2, 3]) await world.note(n)
  const file = world.newFile()
  const onProgress = () => {
    throw new Error('interrupted')
  }
  const limits = { page: 1, checkpointBytes: 1 }
  await expect(world.export(file, { format: 'parquet' }, { limits, onProgress })).rejects.toThrow('interrupted')
  await expect(world.export(file, { format: 'ndjson' })).rejects.toThrow('another selection')
  await writeFile(file, Buffer.concat([await readFile(file), Buffer.from('half a row group')]))
  await world.export(file, { format: 'parquet' })
  expect(await ask(`select (data->>'n')::int as n from read_parquet('${file}') order by position`)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  await expect(stat(unfinishedPath(file))).rejects.toThrow('ENOENT')
})

test.each([
  ['ndjson', 'read_json'],
  ['parquet', 'read_parquet'],
] as const)('where little matches, %s keeps its place in the log as well', async (format, read) => {
  const { readMatching: _, ...store } = world.store
  await world.dayEnded(1)
  for (const n of [2, 3, 4, 5, 6]) await world.note(n)
  await world.dayEnded(7)
  const file = world.newFile()
  const days = { format, types: ['DayEnded'] }
  const limits = { page: 1, checkpointPages: 2 }
  const onProgress = ({ commit }: Readonly<{ commit: bigint }>) => {
    if (commit === 5n) throw new Error('interrupted')
  }
  await expect(world.export(file, days, { store, limits, onProgress })).rejects.toThrow('interrupted')
  expect(JSON.parse(await readFile(unfinishedPath(file), 'utf8'))).toMatchObject({ events: 1, to: '00000000000000000004' })
  expect(await world.export(file, days, { store, limits })).toMatchObject({ events: 2, to: '00000000000000000007' })
  expect(await ask(`select (data->>'n')::int as n from ${read}('${file}') order by position`)).toEqual([{ n: 1 }, { n: 7 }])
})

test('an event that cannot be exported leaves those before it in the file', async () => {
  for (const n of [1, 2]) await world.note(n)
  await world.dayEnded(3)
  const file = world.newFile()
  const all = { format: 'parquet', sealed: true } as const
  await expect(world.export(file, all, { known: new Set(['NoteTaken']) })).rejects.toThrow('position 3')
  expect(JSON.parse(await readFile(unfinishedPath(file), 'utf8'))).toMatchObject({ events: 2 })
  expect(await world.export(file, all)).toMatchObject({ events: 3 })
  expect(await ask(`select (data->>'n')::int as n from read_parquet('${file}') order by position`)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
})
