import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { profilesOf } from './support/profiles.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client
let profiles: ReturnType<typeof profilesOf>

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme')
  profiles = profilesOf(acme)
  await profiles.create({ email: 'b@shop.example', firstName: 'bob', lastName: '100%', phone: '+972501111111', emailConsent: 'subscribed' })
  await profiles.create({ email: 'a@shop.example', firstName: 'Ada', lastName: 'Under_score', smsConsent: 'subscribed' })
  await profiles.create({ email: 'd@shop.example', firstName: 'dora', emailConsent: 'subscribed', smsConsent: 'subscribed' })
  await profiles.create({ email: 'c@mail.example', firstName: 'Cem', lastName: 'Ünal', emailConsent: 'unsubscribed' })
})
afterAll(() => world.stop())

const emailsOf = async (query: string): Promise<readonly string[]> =>
  (await profiles.list(query)).items.map(({ email }) => email?.[0] ?? '')

describe('lookup and get', () => {
  it('finds an address whatever its case and the blanks around it', async () => {
    expect((await profiles.lookup(' A@Shop.Example ')).firstName).toBe('Ada')
  })

  it('says that an address, or an id, is unknown, and asks for what is missing', async () => {
    const get = async (path: string) => outcome(await acme.request('GET', `/public/profiles${path}`))
    expect(await get('/lookup?email=unknown@shop.example')).toEqual(uncoded(404, 'Profile not found'))
    expect(await get('/lookup?email=no-address')).toEqual(uncoded(404, 'Profile not found'))
    expect(await get('/lookup')).toEqual(uncoded(400, 'email must be a string'))
    expect(await get('/lookup?email=')).toEqual(uncoded(400, 'email should not be empty'))
    expect(await get('/lookup?email=a@b.cd&id=1')).toEqual(uncoded(400, 'property id should not exist'))
    expect(await get('/00000000-0000-7000-8000-000000000000')).toEqual(uncoded(404, 'Profile not found'))
    expect(await get('/1')).toEqual(uncoded(400, 'Validation failed (uuid is expected)'))
  })
})

describe('the list', () => {
  it('is newest first, 25 a page, with an exact total', async () => {
    const { items, ...page } = await profiles.list()
    expect(page).toEqual({ limit: 25, offset: 0, total: 4, has_more: false, next_cursor: null })
    expect(items.map(({ firstName }) => firstName)).toEqual(['Cem', 'dora', 'Ada', 'bob'])
  })

  it.each([
    ['?sort=email', 'abcd'],
    ['?sort=email:desc', 'dcba'],
    ['?sort=-email', 'dcba'],
    ['?sort=firstName', 'abcd'],
    ['?sort=firstName:desc', 'dcba'],
    ['?sort=createdAt', 'cdab'],
    ['?sort=createdAt:asc', 'badc'],
    ['?sort=updatedAt', 'cdab'],
    ['?sort=-updatedAt', 'cdab'],
    ['?sort=shoeSize', 'cdab'],
    ['?sort=email:sideways', 'cdab'],
    ['?sort=__proto__', 'cdab'],
    ['?sort=', 'cdab'],
  ])('%s gives %s', async (query, order) => {
    expect((await emailsOf(query)).join('')).toBe(order)
  })

  it.each([
    ['?consent=subscribed', 'db'],
    ['?consent=subscribed&channel=email', 'db'],
    ['?consent=subscribed&channel=sms', 'da'],
    ['?consent=never_subscribed&channel=sms', 'cb'],
    ['?consent=cleaned', ''],
    ['?channel=sms', 'cdab'],
    ['?search=SHOP.example', 'dab'],
    ['?search=ADA', 'a'],
    ['?search=%C3%BCnal', 'c'],
    ['?search=%2B97250111', 'b'],
    ['?search=0%25', 'b'],
    ['?search=%25', 'b'],
    ['?search=r_s', 'a'],
    ['?search=%5C', ''],
    ['?search=', 'cdab'],
    ['?search=shop&consent=subscribed&channel=sms', 'da'],
    ['?segmentId=00000000-0000-7000-8000-000000000000', ''],
  ])('%s finds %s, and counts them', async (query, found) => {
    expect((await emailsOf(query)).join('')).toBe(found)
    expect((await profiles.list(`${query}&limit=1`)).total).toBe(found.length)
  })

  it('pages by offset or by page, and offset wins', async () => {
    const paged = async (query: string) => {
      const { items, ...page } = await profiles.list(`?sort=email&limit=3${query}`)
      return { emails: items.map(({ email }) => email?.[0]).join(''), ...page }
    }
    const first = { emails: 'abc', limit: 3, offset: 0, total: 4, has_more: true, next_cursor: '3' }
    const second = { emails: 'd', limit: 3, offset: 3, total: 4, has_more: false, next_cursor: null }
    expect(await paged('')).toEqual(first)
    expect(await paged('&offset=3')).toEqual(second)
    expect(await paged('&page=2')).toEqual(second)
    expect(await paged('&page=2&offset=0')).toEqual(first)
    expect(await paged('&page=9')).toEqual({ ...second, emails: '', offset: 24 })
    expect(await paged('&offset=1')).toEqual({ ...second, emails: 'bcd', offset: 1 })
  })

  it.each([
    ['?limit=0', 'limit must not be less than 1'],
    ['?limit=201', 'limit must not be greater than 200'],
    ['?limit=1.5', 'limit must be an integer number'],
    ['?limit=ten', 'limit must be an integer number'],
    ['?limit=', 'limit must be an integer number'],
    ['?limit=1&limit=2', 'limit must be an integer number'],
    ['?offset=-1', 'offset must not be less than 0'],
    ['?page=0', 'page must not be less than 1'],
    ['?page=45035996273705', 'page must not be greater than 45035996273704'],
    ['?consent=maybe', 'consent must be one of the following values: subscribed, unsubscribed, never_subscribed, cleaned'],
    ['?channel=push', 'channel must be one of the following values: email, sms'],
    ['?segmentId=7', 'segmentId must be a UUID'],
    [`?search=${'x'.repeat(256)}`, 'search must be shorter than or equal to 255 characters'],
    ['?color=red&limit=0', 'property color should not exist'],
    ['?search=%00', 'Request contains invalid characters'],
  ])('%s is 400', async (query, message) => {
    expect(outcome(await acme.request('GET', `/public/profiles${query}`))).toEqual(uncoded(400, message))
  })

  it('takes 200 a page, 255 characters of search, and an offset beyond the end', async () => {
    const page = await profiles.list(`?limit=200&search=${'x'.repeat(255)}&offset=1000000000000`)
    expect(page).toEqual({ items: [], limit: 200, offset: 1_000_000_000_000, total: 0, has_more: false, next_cursor: null })
  })
})

describe('a list of many', () => {
  const COUNT = 1_250
  let many: ReturnType<typeof profilesOf>

  beforeAll(async () => {
    const client = await world.workspace('many')
    many = profilesOf(client)
    const { id } = await many.create({ email: 'n0000@shop.example', firstName: 'Ann' })
    const { rows } = await world.stores.pool.query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = 'read.profiles'::regclass and attnum > 0 and not attisdropped`,
    )
    const own = {
      id: 'uuidv7()',
      email: `'n' || to_char(g, 'FM0000') || '@shop.example'`,
      updated_at: `updated_at + g * interval '1 second'`,
    }
    const values = rows.map(({ name }) => new Map(Object.entries(own)).get(name) ?? name)
    const columns = rows.map(({ name }) => name).join(', ')
    // Rows as the projection would have made them, without the requests that it would take.
    await world.stores.pool.query(
      `insert into read.profiles (${columns}) select ${values.join(', ')} from read.profiles, generate_series(1, ${COUNT - 1}) g where id = $1`,
      [id],
    )
    await world.stores.pool.query(
      `insert into read.profile_search (workspace_id, id, created_at, text, last_commit, last_prepare)
       select p.workspace_id, p.id, p.created_at, p.email, p.last_commit, p.last_prepare from read.profiles p, read.profiles of
       where of.id = $1 and p.workspace_id = of.workspace_id and p.id <> of.id`,
      [id],
    )
  })

  const numbers = Array.from({ length: COUNT }, (_, n) => `n${String(n).padStart(4, '0')}@shop.example`)

  it.each([
    ['sort=email', numbers],
    ['sort=-updatedAt', numbers.toReversed()],
    ['sort=email&search=SHOP', numbers],
  ])('is paged whole and in order by %s, however far', async (query, wanted) => {
    const found: (string | null)[] = []
    for (let offset = 0; offset < COUNT; offset += 200)
      found.push(...(await many.list(`?${query}&limit=200&offset=${offset}`)).items.map(({ email }) => email))
    expect(found).toEqual(wanted)
  })

  it('is counted by a search on a page past its end too', async () => {
    expect(await many.list(`?search=n00&offset=2000`)).toMatchObject({ items: [], total: 100, has_more: false, next_cursor: null })
    expect(await many.list(`?search=n00&offset=99`)).toMatchObject({ items: [{}], total: 100, has_more: false })
  })
})
