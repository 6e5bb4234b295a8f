import { randomUUID } from 'node:crypto'
import { asWorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels } from '@tidings/read-models'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deepPages } from '../../query-api/src/deep-pages.ts'
import { profileFilter } from '../../query-api/src/profiles/profile-filter.ts'
import { profileOrder } from '../../query-api/src/profiles/profile-order.ts'
import { profileTimeline } from '../../query-api/src/profiles/profile-page.ts'
import { searchTotals } from '../../query-api/src/profiles/search-totals.ts'
import { changePerson, count, emptyTables, erasePerson, type Person, writePeople } from './read-model.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
  await emptyTables(database.pool, ['profiles'])
})
afterAll(() => database.drop())

type Names = Readonly<{ email: string | null; firstName: string | null; lastName: string | null }>

/** Few, so that many are equal but for their case, and some are missing. */
const name = fc.option(fc.constantFrom<string[]>('a', 'A', 'ab', 'b', 'Z', 'é', 'ש', ''), { nil: null })
const names: fc.Arbitrary<Names> = fc.record({ email: name, firstName: name, lastName: name })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('read' as const), offset: fc.nat(30), limit: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('add' as const), people: fc.array(names, { minLength: 1, maxLength: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('change' as const), nth: fc.nat(25), names }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('erase' as const), nth: fc.nat(25) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('count alone' as const) }) },
)
type Step =
  | Readonly<{ does: 'add'; people: readonly Names[] }>
  | Readonly<{ does: 'change'; nth: number; names: Names }>
  | Readonly<{ does: 'erase'; nth: number }>
  | Readonly<{ does: 'count alone' }>

const SQL_ORDER = [
  ['email', 'email'],
  ['firstName', 'lower(first_name collate "default")'],
  ['lastName', 'lower(last_name collate "default")'],
] as const

const workspace = () => {
  const { pool } = database
  const workspaceId = asWorkspaceId(randomUUID())
  const people: Person[] = []
  const db = kyselyOn<ReadModels>(pool)
  let commit = 0
  const personOf = (of: Names, id: string = randomUUID()): Person => ({
    ...of,
    id,
    phone: null,
    subscribed: false,
    at: new Date(Date.UTC(2026)),
  })
  const write = async (one: Step): Promise<void> => {
    commit += 1
    if (one.does === 'count alone') return await count(pool, { workspaceId, bucket: 'searched', by: 1, commit })
    if (one.does === 'add') {
      const added = one.people.map((of) => personOf(of))
      people.push(...added)
      return await writePeople(pool, workspaceId, added, commit)
    }
    const known = people[one.nth]
    if (known === undefined) return
    if (one.does === 'erase') people.splice(one.nth, 1)
    await (one.does === 'erase'
      ? erasePerson(pool, workspaceId, known.id, commit)
      : changePerson(pool, workspaceId, personOf(one.names, known.id), commit))
  }
  const idsBy = async (order: string): Promise<readonly string[]> => {
    const { rows } = await pool.query<{ id: string }>(`select id from read.profiles where workspace_id = $1 order by ${order}`, [
      workspaceId,
    ])
    return rows.map(({ id }) => id)
  }
  const timelineBy = (sort: string) => profileTimeline({ db, workspaceId }, profileFilter({}), profileOrder(sort))
  return { workspaceId, own: forWorkspace(db, workspaceId), write, idsBy, timelineBy }
}

const start: Step = {
  does: 'add',
  people: Array.from({ length: 20 }, (_, n) => ({ email: 'abAB'.charAt(n % 7) || null, firstName: null, lastName: 'b' })),
}

test.each(SQL_ORDER)('a page by %s is what its offset gives, whatever came, changed and went since the pages before', async (sort, sql) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40 }),
      fc.constantFrom('asc' as const, 'desc' as const),
      async (steps, way) => {
        const { write, idsBy, timelineBy } = workspace()
        const [pages, timeline] = [deepPages(), timelineBy(sort)]
        if (timeline === undefined) throw new Error(`no timeline by ${sort}`)
        await write(start)
        for (const one of steps) {
          if (one.does !== 'read') await write(one)
          else {
            const ids = await idsBy(`${sql} ${way}, id ${way}`)
            const { offset, limit } = one
            expect(await pages(timeline, way, { offset, limit })).toEqual(ids.slice(offset, offset + limit))
          }
        }
      },
    ),
    { numRuns: 20 },
  )
})

test('the next page by email starts where the one before ended, also when new ones came before it meanwhile', async () => {
  const { write, timelineBy } = workspace()
  const timeline = timelineBy('email')
  if (timeline === undefined) throw new Error('no timeline by email')
  const at = (email: string) => ({ email, firstName: null, lastName: null })
  await write({ does: 'add', people: Array.from({ length: 60 }, (_, n) => at(`m${String(n).padStart(2, '0')}`)) })
  const skipped: number[] = []
  const page: typeof timeline.page = (wanted) => {
    skipped.push(wanted.skip)
    return timeline.page(wanted)
  }
  const pages = deepPages()
  const read = (offset: number) => pages({ ...timeline, page }, 'asc', { offset, limit: 10 })
  for (const offset of [20, 30]) await read(offset)
  await write({ does: 'count alone' })
  await write({ does: 'add', people: [at('a'), at('m25x'), at('z')] })
  await read(42)
  await write({ does: 'change', nth: 3, names: at('z') })
  await read(42)
  expect(skipped).toEqual([20, 0, 0, 42])
})

test('a search counts what is there, whatever came, changed and went since it was counted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), fc.constantFrom('a', 'b', 'ש'), async (steps, search) => {
      const { workspaceId, own, write } = workspace()
      const totals = searchTotals()
      await write(start)
      for (const one of steps) {
        if (one.does !== 'read') await write(one)
        const { rows } = await database.pool.query(`select from read.profile_search where workspace_id = $1 and strpos(text, $2) > 0`, [
          workspaceId,
          search,
        ])
        expect(await totals(own, { workspaceId, filter: profileFilter({ search }), search })).toBe(rows.length)
      }
    }),
    { numRuns: 20 },
  )
})

test('a search that was counted looks only at what was written since', async () => {
  const { workspaceId, own, write } = workspace()
  const totals = searchTotals()
  const asked = () => totals(own, { workspaceId, filter: profileFilter({ search: 'ab' }), search: 'ab' })
  await write({ does: 'add', people: [{ email: 'ab', firstName: null, lastName: null }] })
  expect(await asked()).toBe(1)
  // Nothing says that it went.
  await database.pool.query('delete from read.profile_search where workspace_id = $1', [workspaceId])
  await write({ does: 'add', people: ['ab', 'b'].map((email) => ({ email, firstName: null, lastName: null })) })
  await write({ does: 'count alone' })
  expect(await asked()).toBe(2)
  await write({ does: 'change', nth: 2, names: { email: 'abc', firstName: null, lastName: null } })
  expect(await asked()).toBe(2)
})

test('what was counted in other tables is counted again', async () => {
  const { workspaceId, own, write } = workspace()
  const totals = searchTotals()
  const asked = () => totals(own, { workspaceId, filter: profileFilter({ search: 'ab' }), search: 'ab' })
  const at = (email: string) => ({ email, firstName: null, lastName: null })
  await write({ does: 'add', people: [at('ab'), at('ab')] })
  expect(await asked()).toBe(2)
  await emptyTables(database.pool, ['profiles'])
  await writePeople(
    database.pool,
    workspaceId,
    ['ab', 'b'].map((email) => ({ ...at(email), id: randomUUID(), phone: null, subscribed: false, at: new Date() })),
  )
  expect(await asked()).toBe(1)
})
