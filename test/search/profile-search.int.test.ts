import { randomUUID } from 'node:crypto'
import { asWorkspaceId, type WorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels } from '@tidings/read-models'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { profileFilter } from '../../query-api/src/profiles/profile-filter.ts'
import { profileOrder } from '../../query-api/src/profiles/profile-order.ts'
import { profilePages } from '../../query-api/src/profiles/profile-page.ts'
import { count, emptyTables, type Person, writePeople } from './read-model.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
  await emptyTables(database.pool, ['profiles', 'lists'])
})
afterAll(() => database.drop())

/** What a pattern, a fold or a trigram can trip over; few letters, so that much is found. */
const LETTERS = [...'abAB12 .@%_\\\'"\n\u{1}ÜüßİıΣσςשםДدé', '😀', '李']
const word = fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 7 })
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const person = fc.record({
  email: maybe(word.map((text) => text.toLowerCase())),
  phone: maybe(fc.string({ unit: fc.constantFrom(...'+972'), maxLength: 5 })),
  firstName: maybe(word),
  lastName: maybe(word),
  subscribed: fc.boolean(),
})

const asked = fc.record({
  search: fc.oneof(word, fc.string({ unit: fc.constantFrom(...'ab12שם'), minLength: 3, maxLength: 4 })).filter((text) => text !== ''),
  sort: fc.constantFrom('createdAt', '-createdAt', 'email', '-firstName', 'lastName', 'updatedAt'),
  consent: fc.option(fc.constant('subscribed' as const), { nil: undefined }),
  limit: fc.integer({ min: 1, max: 5 }),
  offset: fc.integer({ min: 0, max: 5 }),
})

type SearchRequest = Readonly<{ search: string; sort: string; consent: 'subscribed' | undefined; limit: number; offset: number }>

const SQL_ORDER: Readonly<Record<string, string>> = {
  createdAt: 'created_at desc, id desc',
  '-createdAt': 'created_at desc, id desc',
  updatedAt: 'updated_at desc, id desc',
  email: 'email asc, id asc',
  '-firstName': 'lower(first_name collate "default") desc, id desc',
  lastName: 'lower(last_name collate "default") asc, id asc',
}

/** The contract's sentence as SQL: a substring of one of the four fields, whatever the case; `ilike` takes the two small sigmas for two letters. */
const naive = async (workspaceId: string, { search, sort, consent, limit, offset }: SearchRequest) => {
  const pattern = `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`
  const fields = ['email', 'phone', 'first_name', 'last_name'].map(
    (field) => `translate(${field}, 'ς', 'σ') collate "default" ilike translate($2, 'ς', 'σ')`,
  )
  const where = `workspace_id = $1 and (${fields.join(' or ')}) ${consent === undefined ? '' : `and email_consent = '${consent}'`}`
  const { rows } = await database.pool.query<{ id: string }>(`select id from read.profiles where ${where} order by ${SQL_ORDER[sort]}`, [
    workspaceId,
    pattern,
  ])
  return { ids: rows.slice(offset, offset + limit).map(({ id }) => id), total: rows.length }
}

const found = async (pages: ReturnType<typeof profilePages>, workspaceId: WorkspaceId, { limit, offset, ...query }: SearchRequest) => {
  const db = kyselyOn<ReadModels>(database.pool)
  const of = { db, workspaceId, own: forWorkspace(db, workspaceId), isGone: () => false }
  const filter = profileFilter({ search: query.search, ...(query.consent !== undefined && { consent: query.consent }) })
  const { items, total } = await pages(of, { filter, order: profileOrder(query.sort), window: { limit, offset } })
  return { ids: items.map(({ id }) => id), total }
}

/** Creation times have ties. */
const create = async (people: readonly Omit<Person, 'id' | 'at'>[]): Promise<string> => {
  const [workspaceId, other] = [randomUUID(), randomUUID()]
  const all = people.map((one, n) => ({ ...one, id: randomUUID(), at: new Date(Date.UTC(2026, 0, 1) + (n >> 1)) }))
  await writePeople(database.pool, workspaceId, all)
  await writePeople(database.pool, other, all)
  return workspaceId
}

const equalsIlike = async (): Promise<void> => {
  const pages = profilePages(10)
  const cases = fc.asyncProperty(
    fc.array(person, { maxLength: 30 }),
    fc.array(asked, { minLength: 1, maxLength: 12 }),
    async (people, asks) => {
      const workspaceId = asWorkspaceId(await create(people))
      for (const ask of asks) expect(await found(pages, workspaceId, ask)).toEqual(await naive(workspaceId, ask))
    },
  )
  await fc.assert(cases, { numRuns: 20 })
}

/** The plan of a statement that has no other index to use. */
const planOf = async (condition: string): Promise<string> => {
  const client = await database.pool.connect()
  try {
    await client.query('begin; set local enable_seqscan = off')
    return JSON.stringify((await client.query(`explain select id from read.profile_search where ${condition}`)).rows)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

const TRIGRAM = `coalesce(code, text) like '%abc%'`

describe('a search', () => {
  test('finds what ilike finds, counts it, and pages it in the same order', equalsIlike)

  test.each(['ΟΔΥΣΣΕΥΣ', 'οδυσσευς', 'οδυσσευσ', 'ευΣ', 'σσ', 'ς', 'ευσ ιθ'])(
    'takes the three forms of a sigma for one letter: %s',
    async (search) => {
      const unnamed = { email: null, phone: null, firstName: null, lastName: null, subscribed: false }
      const names = ['ΟΔΥΣΣΕΥΣ ΙΘ', 'Οδυσσευς ιθ', 'οδυσσευσ ιθ', 'Οδυ', 'asb']
      const workspaceId = asWorkspaceId(await create(names.map((firstName) => ({ ...unnamed, firstName }))))
      const ask = { search, sort: 'email', consent: undefined, limit: 10, offset: 0 }
      expect((await found(profilePages(10), workspaceId, ask)).total).toBe(3)
    },
  )

  test('uses the trigram index, which a rebuild makes', async () => {
    expect(await planOf(TRIGRAM)).toContain('profile_search_trigrams')
    await emptyTables(database.pool, ['profiles'])
    expect(await planOf(TRIGRAM)).toContain('profile_search_trigrams')
  })

  test('counts anew when what it finds has changed, and only then', async () => {
    const pages = profilePages(10)
    const one = { email: 'ann@shop.example', phone: null, firstName: null, lastName: null, subscribed: false }
    const workspaceId = asWorkspaceId(await create([one, one]))
    const ask = { search: 'shop', sort: 'email', consent: undefined, limit: 1, offset: 0 }
    expect((await found(pages, workspaceId, ask)).total).toBe(2)
    await database.pool.query('delete from read.profile_search where workspace_id = $1', [workspaceId])
    expect((await found(pages, workspaceId, ask)).total).toBe(2)
    await writePeople(database.pool, workspaceId, [{ ...one, id: randomUUID(), at: new Date() }])
    expect((await found(pages, workspaceId, ask)).total).toBe(1)
    const others = Array.from({ length: 3 }, () => ({ ...one, email: 'bob@other.example', id: randomUUID(), at: new Date() }))
    await emptyTables(database.pool, ['profiles'])
    await writePeople(database.pool, workspaceId, others)
    expect((await found(pages, workspaceId, ask)).total).toBe(0)
  })
})

/** More matches than are sorted by themselves. */
const MANY = 21_000

/** The newest, or every other, of a workspace's profiles are at `shop`. */
const createMany = async (atShop: string): Promise<string> => {
  const workspaceId = randomUUID()
  await database.pool.query(
    `with made as (select gen_random_uuid() as id, 'n' || n || case when ${atShop} then '@shop.example' else '@other.example' end as email,
       timestamptz '2026-01-01' + n * interval '1 second' as at from generate_series(1, ${MANY}) n),
     profiles as (insert into read.profiles (workspace_id, id, email, email_consent, sms_consent, push_consent, email_validation_state,
       custom_properties, tags, email_suppressed, sms_suppressed, created_at, updated_at, last_commit, last_prepare)
       select $1, id, email, 'subscribed', 'subscribed', 'subscribed', 'unknown', '{}', '{}', false, false, at, at, 1, 0 from made)
     insert into read.profile_search (workspace_id, id, created_at, text, last_commit, last_prepare) select $1, id, at, email, 1, 0 from made`,
    [workspaceId],
  )
  await count(database.pool, { workspaceId, bucket: 'all', by: MANY })
  await database.pool.query('analyze read.profiles, read.profile_search')
  return workspaceId
}

describe.each([
  ['spread over all', 'n % 2 = 0'],
  ['the oldest', `n <= ${MANY / 2}`],
])('a search that finds many, %s', (_, atShop) => {
  test('pages them in order', async () => {
    const workspaceId = asWorkspaceId(await createMany(atShop))
    const pages = profilePages(10)
    for (const sort of ['createdAt', 'email'])
      for (const offset of [0, 3_000, MANY / 2 - 2]) {
        const ask = { search: '@shop', sort, consent: undefined, limit: 5, offset }
        expect(await found(pages, workspaceId, ask)).toEqual(await naive(workspaceId, ask))
      }
  })
})

test('a search is refused for now where the tables are of the version that has none to search', async () => {
  await database.pool.query('alter table read.profile_search rename to profile_search_hidden')
  const ask = { search: 'shop', sort: 'email', consent: undefined, limit: 1, offset: 0 }
  await expect(found(profilePages(10), asWorkspaceId(randomUUID()), ask)).rejects.toMatchObject({
    problem: { status: 503, headers: { 'Retry-After': '10' } },
  })
  await database.pool.query('alter table read.profile_search_hidden rename to profile_search')
})

describe('without the extensions', () => {
  beforeAll(async () => {
    await database.pool.query('drop extension pg_trgm, btree_gin cascade')
    await emptyTables(database.pool, ['profiles'])
  })

  test('a search finds the same', equalsIlike)

  test('there is no such index', async () => {
    expect(await planOf(TRIGRAM)).not.toContain('profile_search_trigrams')
  })
})
