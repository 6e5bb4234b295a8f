import { testDatabase } from '@tidings/testing'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compiledQuery, isTransient, kyselyOn } from '../src/index.ts'

let db: Awaited<ReturnType<typeof testDatabase>>
const notes = () => kyselyOn<{ note: { owner: string; text: string } }>(db.pool)

beforeAll(async () => {
  db = await testDatabase()
  await db.pool.query(`create table note(owner text, text text); insert into note values ('a', 'one'), ('b', 'two')`)
})
afterAll(() => db.drop())

test('a compiled query answers for the values of each call, and is prepared under one name', async () => {
  const kysely = notes()
  const find = compiledQuery(kysely, (owner: string) => kysely.selectFrom('note').select('text').where('owner', '=', owner))
  expect([await find('a'), await find('b'), await find('c')]).toEqual([[{ text: 'one' }], [{ text: 'two' }], []])
})

test('a query whose values are not its arguments in their order is refused at the first call', async () => {
  const kysely = notes()
  const swapped = compiledQuery(kysely, (owner: string, text: string) =>
    kysely.selectFrom('note').selectAll().where('text', '=', text).where('owner', '=', owner),
  )
  await expect(swapped('a', 'one')).rejects.toThrow('in their order')
})

describe('a table whose columns change under a prepared statement', () => {
  type Renewed = Readonly<{ renewed: { owner: string } }>
  const everyRow = (own: Kysely<Renewed>) => own.selectFrom('renewed').selectAll().execute()
  const addColumn = (name: string) => db.pool.query(`alter table renewed add ${name} text`)

  beforeAll(() => db.pool.query(`create table renewed(owner text); insert into renewed values ('a')`))

  test('is read as it is by then, on each connection and each time', async () => {
    const own = kyselyOn<Renewed>(db.pool)
    const onThree = () => Promise.all([everyRow(own), everyRow(own), everyRow(own)])
    await onThree()
    for (const name of ['size', 'born']) {
      await addColumn(name)
      for (const rows of await onThree()) expect(rows).toEqual([expect.objectContaining({ owner: 'a', [name]: null })])
    }
  })

  test('fails the transaction that read it before, and none that comes later', async () => {
    const own = kyselyOn<Renewed>(db.pool)
    const inTransaction = () => own.transaction().execute(everyRow)
    await inTransaction()
    await addColumn('later')
    const failure = await inTransaction().catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: '0A000' })
    expect(isTransient(failure)).toBe(true)
    expect(await inTransaction()).toEqual([expect.objectContaining({ later: null })])
  })
})
