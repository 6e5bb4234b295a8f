import { randomUUID } from 'node:crypto'
import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { asContactId, asWorkspaceId, type ContactId, contactStream, type DomainEvent, eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { kyselyOn } from '@tidings/postgres'
import { type AnyProjection, createProgress, redrive, runProjection } from '@tidings/projections'
import { projections } from '@tidings/projectors'
import { forWorkspace, type ReadModels } from '@tidings/read-models'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { deepPages } from '../../query-api/src/deep-pages.ts'
import { profileFilter } from '../../query-api/src/profiles/profile-filter.ts'
import { profileOrder } from '../../query-api/src/profiles/profile-order.ts'
import { profileTimeline } from '../../query-api/src/profiles/profile-page.ts'
import { searchTotals } from '../../query-api/src/profiles/search-totals.ts'
import { changePerson, count, emptyTables, writePeople } from './read-model.ts'

// What is remembered of counts and places is carried on by the positions of rows: here these do not tell all.

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())
beforeEach(() => emptyTables(database.pool, ['profiles']))

const profiles = projections.find(({ name }) => name === 'profiles')
if (profiles === undefined) throw new Error('there is no projection of profiles')

const refusing = (of: AnyProjection, refused: (type: string, stream: string) => boolean): AnyProjection => ({
  ...of,
  fold: (event, rows) => {
    if (refused(event.type, event.stream)) throw new Error('refused')
    of.fold(event, rows)
  },
})

const newWorld = () => {
  const { pool } = database
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const workspaceId = asWorkspaceId(randomUUID())
  const append = (contactId: ContactId, event: DomainEvent) =>
    log.append(contactStream(workspaceId, contactId), 'any', [event], {
      ...{ commandId: randomUUID(), workspaceId, actor: 'test', requestId: 'test', at: '2026-01-01T00:00:00.000Z' },
    })
  const db = kyselyOn<ReadModels>(pool)
  const own = forWorkspace(db, workspaceId)
  const totals = searchTotals()
  return {
    pool,
    workspaceId,
    created: (contactId: ContactId, email: string) =>
      append(contactId, {
        type: 'ContactCreated',
        data: {
          ...{ contactId, email, emailClaimId: null, phone: null, phoneClaimId: null, source: 'api' },
          ...{ firstName: null, lastName: null, timezone: null, locale: null, notes: null, tags: [], customProperties: {} },
        },
      }),
    renamed: (contactId: ContactId, firstName: string) =>
      append(contactId, { type: 'ContactDetailsChanged', data: { contactId, firstName } }),
    /** Follows the log to its end, then does something while it still follows. */
    follow: async (projection: AnyProjection, meanwhile = async (): Promise<void> => undefined) => {
      const progress = createProgress()
      const failures: unknown[] = []
      const onFailure = (_: unknown, error: unknown) => failures.push(error)
      const running = runProjection({ pool, log, projection, progress, owner: randomUUID(), onFailure })
      const { commit } = await log.head()
      await until(() => expect(progress.of('profiles')?.position?.commit).toBe(commit))
      await meanwhile()
      await running.stop()
      expect(failures).toEqual([])
    },
    redriven: async (contactId: ContactId) =>
      expect(await redrive(pool, { projection: 'profiles', stream: contactStream(workspaceId, contactId) })).toEqual({
        redriven: true,
        error: null,
      }),
    found: (search: string) => totals(own, { workspaceId, filter: profileFilter({ search }), search }),
    pagesBy: (field: 'firstName' | 'email', direction: 'asc' | 'desc') => {
      const pages = deepPages()
      const timeline = profileTimeline({ db, workspaceId }, profileFilter({}), profileOrder(field))
      if (timeline === undefined) throw new Error(`profiles have no order by ${field}`)
      return (offset: number) => pages(timeline, direction, { offset, limit: 1 })
    },
  }
}

test('a name that changed before others came, and is driven anew after them, is found, and moves those behind it', async () => {
  const { workspaceId, created, renamed, follow, redriven, found, pagesBy, pool } = newWorld()
  const [other = asContactId(''), parked = asContactId('')] = [asContactId(randomUUID()), asContactId(randomUUID())].sort()
  await created(parked, 'a@x.example')
  await renamed(parked, 'Zelda')
  await created(other, 'b@x.example')
  await follow(refusing(profiles, (type) => type === 'ContactDetailsChanged'))
  expect(await found('zelda')).toBe(0)
  const page = pagesBy('firstName', 'desc')
  for (const offset of [0, 1]) await page(offset)
  await follow(profiles, () => redriven(parked))
  expect(await found('zelda')).toBe(1)
  const { rows } = await pool.query<{ id: string }>(
    'select id from read.profiles where workspace_id = $1 order by lower(first_name collate "default") desc, id desc',
    [workspaceId],
  )
  expect(await page(1)).toEqual([rows[1]?.id])
})

test('while a stream is parked, what changes elsewhere moves places too', async () => {
  const { workspaceId, created, renamed, follow, pagesBy, pool } = newWorld()
  const ids = Array.from({ length: 3 }, () => asContactId(randomUUID()))
  for (const id of ids) await created(id, `${id}@x.example`)
  const [parked = asContactId(''), one = asContactId(''), two = asContactId('')] = ids
  await renamed(one, 'Bob')
  await renamed(two, 'Cat')
  await renamed(parked, 'Zelda')
  const half = refusing(profiles, (type, stream) => type === 'ContactDetailsChanged' && stream === contactStream(workspaceId, parked))
  await follow(half)
  const page = pagesBy('firstName', 'asc')
  for (const offset of [0, 1, 2]) await page(offset)
  await renamed(two, 'Aaron')
  await follow(half)
  const { rows } = await pool.query<{ id: string }>(
    'select id from read.profiles where workspace_id = $1 order by lower(first_name collate "default"), id',
    [workspaceId],
  )
  for (const offset of [0, 1, 2]) expect(await page(offset)).toEqual([rows[offset]?.id])
})

test('a profile that is driven anew is counted, also where another one changed meanwhile', async () => {
  const { workspaceId, created, renamed, follow, redriven, found } = newWorld()
  const [parked, other] = [asContactId(randomUUID()), asContactId(randomUUID())]
  await created(parked, 'zelda@x.example')
  await created(other, 'b@x.example')
  await follow(refusing(profiles, (_, stream) => stream === contactStream(workspaceId, parked)))
  expect([await found('x.example'), await found('zelda')]).toEqual([1, 0])
  await renamed(other, 'Bob')
  await follow(profiles, () => redriven(parked))
  expect([await found('x.example'), await found('zelda')]).toEqual([2, 1])
})

test('what an operator changed by hand shows within ten minutes, however often it is asked for', async () => {
  const { workspaceId, created, follow, found, pool } = newWorld()
  for (const email of ['a@x.example', 'b@x.example']) await created(asContactId(randomUUID()), email)
  await follow(profiles)
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  try {
    expect(await found('x.example')).toBe(2)
    await pool.query(`delete from read.profile_search where workspace_id = $1 and text like 'a@%'`, [workspaceId])
    const seen: number[] = []
    for (let minute = 1; minute <= 12; minute++) {
      now += 60_000
      seen.push(await found('x.example'))
    }
    expect([seen[0], seen.at(-1)]).toEqual([2, 1])
  } finally {
    clock.mockRestore()
  }
})

test('a database that fell back behind what was counted and seen is counted and looked at anew', async () => {
  const { workspaceId, found, pagesBy, pool } = newWorld()
  const ids = Array.from({ length: 4 }, () => asContactId(randomUUID()))
  const person = (id: string, email: string) => ({
    ...{ id, email, phone: null, firstName: null, lastName: null, subscribed: false, at: new Date(0) },
  })
  const people = ids.map((id, n) => person(id, `${n}@x.example`))
  await writePeople(pool, workspaceId, people, 1)
  const [first = ''] = ids
  await changePerson(pool, workspaceId, person(first, 'zz@x.example'), 2)
  expect(await found('zz')).toBe(1)
  const page = pagesBy('email', 'asc')
  expect(await page(1)).toEqual([ids[2]])
  // This is Postgres after the loss of its last commits, or from a copy of its files.
  await changePerson(pool, workspaceId, person(first, '0@x.example'), 1)
  await count(pool, { workspaceId, bucket: 'searched', by: -2 })
  await pool.query(`update read.profile_totals set last_commit = 1 where bucket = 'searched'`)
  expect(await found('zz')).toBe(0)
  expect(await page(2)).toEqual([ids[2]])
})
