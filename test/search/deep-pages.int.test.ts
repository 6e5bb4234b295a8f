import { randomUUID } from 'node:crypto'
import { asListId, asWorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { membersTimeline, profilesTimeline, type ReadModels, type Timeline } from '@tidings/read-models'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deepPages } from '../../query-api/src/deep-pages.ts'
import { count, emptyTables, insert, type Person, writePeople } from './read-model.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
  await emptyTables(database.pool, ['profiles', 'lists'])
})
afterAll(() => database.drop())

/** `late`: milliseconds by which the clock that stamped it is behind; two seconds are what a timeline allows for. */
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('read' as const),
      offset: fc.nat(40),
      limit: fc.integer({ min: 1, max: 8 }),
      up: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('add' as const),
      many: fc.integer({ min: 1, max: 4 }),
      late: fc.constantFrom(0, 0, 1_500, 40_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('remove' as const), nth: fc.nat(30) }) },
)

type TimelineUnderTest = Readonly<{
  workspaceId: string
  timeline: Timeline
  sql: string
  add: (people: readonly Person[]) => Promise<void>
  remove: (id: string) => Promise<void>
}>

const PERSON = { email: null, phone: null, firstName: null, lastName: null, subscribed: false }

const profiles = (): TimelineUnderTest => {
  const workspaceId = asWorkspaceId(randomUUID())
  return {
    workspaceId,
    timeline: profilesTimeline(kyselyOn<ReadModels>(database.pool), workspaceId),
    sql: `select id from read.profiles where workspace_id = '${workspaceId}' order by created_at`,
    add: (people) => writePeople(database.pool, workspaceId, people),
    remove: async (id) => {
      await database.pool.query('delete from read.profiles where workspace_id = $1 and id = $2', [workspaceId, id])
      await count(database.pool, { workspaceId, bucket: 'all', by: -1 })
      await count(database.pool, { workspaceId, bucket: 'erased', by: 1 })
    },
  }
}

const members = (): TimelineUnderTest => {
  const [workspaceId, listId] = [asWorkspaceId(randomUUID()), randomUUID()]
  let commit = 0
  const counted = (by: number) =>
    database.pool.query(
      `insert into read.list_totals as t (workspace_id, list_id, total, last_commit, last_prepare) values ($1, $2, $3, $4, 0)
       on conflict (workspace_id, list_id) do update set total = t.total + excluded.total, last_commit = excluded.last_commit`,
      [workspaceId, listId, by, ++commit],
    )
  return {
    workspaceId,
    timeline: membersTimeline(kyselyOn<ReadModels>(database.pool), workspaceId, asListId(listId)),
    sql: `select contact_id as id from read.list_members where list_id = '${listId}' order by contact_created_at`,
    add: async (people) => {
      const of = { workspace_id: workspaceId, list_id: listId, added_at: new Date(), last_commit: 1, last_prepare: 0 }
      const rows = people.map(({ id, at }) => ({ ...of, contact_id: id, contact_created_at: at }))
      await insert(database.pool, 'list_members', rows)
      await counted(people.length)
    },
    remove: async (id) => {
      await database.pool.query('delete from read.list_members where list_id = $1 and contact_id = $2', [listId, id])
      await counted(-1)
    },
  }
}

test.each([
  ['of all profiles', profiles],
  ['of the members of a list', members],
])('a page %s is what its offset gives, whatever came and went since the pages before', async (_, kept) => {
  const steps = fc.array(step, { minLength: 5, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { timeline, sql, add, remove } = kept()
      const pages = deepPages()
      let made = 0
      const person = (late: number): Person => {
        made += 1
        return { ...PERSON, id: randomUUID(), at: new Date(Date.UTC(2026, 0, 1) + made * 700 - late) }
      }
      await add(Array.from({ length: 30 }, () => person(0)))
      for (const one of all) {
        const { rows } = await database.pool.query<{ id: string }>(`${sql}, id`)
        const ids = rows.map(({ id }) => id)
        if (one.does === 'add') await add(Array.from({ length: one.many }, () => person(one.late)))
        else if (one.does === 'remove') {
          const id = ids[one.nth]
          if (id !== undefined) await remove(id)
        } else {
          const { offset, limit, up } = one
          const inOrder = up ? ids : ids.toReversed()
          expect(await pages(timeline, up ? 'asc' : 'desc', { offset, limit })).toEqual(inOrder.slice(offset, offset + limit))
        }
      }
    }),
    { numRuns: 20 },
  )
})

/** The same timeline, with the rows that each of its pages skipped. */
const watched = (timeline: Timeline) => {
  const skipped: number[] = []
  const page: Timeline['page'] = (wanted) => {
    skipped.push(wanted.skip)
    return timeline.page(wanted)
  }
  return { skipped, timeline: { ...timeline, page } }
}

test('the next page starts where the one before ended, also when new ones came meanwhile', async () => {
  const { timeline, add } = profiles()
  const start = Date.UTC(2026, 0, 1)
  const made = (n: number): Person => ({ ...PERSON, id: randomUUID(), at: new Date(start + n * 10_000) })
  await add(Array.from({ length: 60 }, (_, n) => made(n)))
  const { skipped, timeline: seen } = watched(timeline)
  const pages = deepPages()
  for (const offset of [20, 30, 40]) await pages(seen, 'desc', { offset, limit: 10 })
  await add([made(61), made(62)])
  await pages(seen, 'desc', { offset: 50, limit: 10 })
  expect(skipped).toEqual([20, 0, 0, 7])
})

test('a place in tables that were built anew is not one that was seen in those before', async () => {
  const { workspaceId, timeline, add } = profiles()
  const made = (n: number): Person => ({ ...PERSON, id: randomUUID(), at: new Date(Date.UTC(2026, 0, 1) + n * 10_000) })
  const first = Array.from({ length: 30 }, (_, n) => made(n))
  await add(first)
  const pages = deepPages()
  await pages(timeline, 'asc', { offset: 10, limit: 10 })
  await emptyTables(database.pool, ['profiles'])
  // There are as many, and as new ones: one that was parked at the beginning is there by now, and another is parked.
  await writePeople(database.pool, workspaceId, [made(-1), ...first.filter((_, n) => n !== 25)])
  expect(await pages(timeline, 'asc', { offset: 20, limit: 3 })).toEqual(first.slice(19, 22).map(({ id }) => id))
})
