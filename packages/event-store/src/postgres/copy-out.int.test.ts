import { testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BinaryRow } from './binary-row.ts'
import { copyOut, literal } from './copy-out.ts'

let database: Awaited<ReturnType<typeof testDatabase>>
let client: PoolClient

beforeAll(async () => {
  database = await testDatabase()
  client = await database.pool.connect()
})
afterAll(async () => {
  client.release()
  await database.drop()
})

const collected = async <Value>(query: string, read: (row: BinaryRow) => Value, db: Parameters<typeof copyOut>[0] = client) => {
  const values: Value[] = []
  await copyOut(db, query, (row) => void values.push(read(row)))
  return values
}

type Values = Readonly<{ text: string; bigint: bigint; int: number; bool: boolean; ms: number; maybe: string | null }>

const columnsOf = ({ text, bigint, int, bool, ms, maybe }: Values): string =>
  `(${literal(text)}, ${literal(bigint)}::bigint, ${literal(int)}::integer, ${bool}, ${literal(new Date(ms).toISOString())}::timestamptz, ${literal(maybe)}::text)`

test('each type comes as it was written, and so does each text as a literal', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map((value) => value.replaceAll('\0', ''))
  const row = fc.record({
    text,
    bigint: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    int: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    bool: fc.boolean(),
    ms: fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }).map((date) => date.getTime()),
    maybe: fc.option(text),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
      const read = await collected(`values ${rows.map(columnsOf).join(', ')}`, (of) => ({
        ...{ text: of.text(), bigint: of.int8(), int: of.int4(), bool: of.bool(), ms: of.time() },
        maybe: of.isNull() ? null : of.text(),
      }))
      expect(read).toEqual(rows)
    }),
    { numRuns: 40 },
  )
})

test('no row, many rows, and a list of texts', async () => {
  expect(await collected('select 1 where false', (row) => row.int4())).toEqual([])
  const many = await collected('select n::bigint from generate_series(1, 5000) n', (row) => row.int8(), database.pool)
  expect(many).toEqual(Array.from({ length: 5_000 }, (_, n) => BigInt(n + 1)))
  const names = [`it's`, '\\', '"', '']
  expect(await collected(`select unnest(${literal(names)})`, (row) => row.text())).toEqual(names)
})

test('what fails rejects, in Postgres before and amid the rows and in who reads them, and the connection goes on', async () => {
  const thrown = new RangeError('no such row')
  await expect(copyOut(client, 'select nothing', () => undefined)).rejects.toMatchObject({ code: '42703' })
  await expect(copyOut(client, 'select 1 / (5000 - n) from generate_series(1, 9000) n', () => undefined)).rejects.toMatchObject({
    code: '22012',
  })
  const failing = copyOut(client, 'select n from generate_series(1, 9) n', (row) => {
    if (row.int4() === 3) throw thrown
  })
  await expect(failing).rejects.toBe(thrown)
  expect(await collected('select 7', (row) => row.int4())).toEqual([7])
})

test('a connection that is lost rejects', async () => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const lost = new Promise((resolve) => client.once('error', resolve))
  const reading = copyOut(client, 'select pg_sleep(60)', () => undefined)
  const rejected = expect(reading).rejects.toBeInstanceOf(Error)
  await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
  await rejected
  await lost
})
