import { testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compiledQuery, kyselyOn } from '../src/index.ts'

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
