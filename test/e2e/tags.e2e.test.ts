import type { Page, Tag, TagOption } from '@tidings/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme')
})
afterAll(() => world.stop())

const create = (client: Client, body: unknown, headers?: Readonly<Record<string, string>>) =>
  client.request('POST', '/public/tags', body, headers)
const created = async (client: Client, body: unknown): Promise<Tag> => dataOf(await create(client, body), 201)
const list = async (client: Client, query = ''): Promise<Page<TagOption>> =>
  dataOf(await client.request('GET', `/public/tags${query}`), 200)
const names = async (client: Client) => (await list(client, '?limit=100')).items.map(({ value }) => value)

const UUID = /^[0-9a-f-]{36}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('a tag', () => {
  it('is answered as a record, and listed as an option', async () => {
    const tag = await created(acme, { name: '  spring  ', color: 'accent' })
    expect(tag).toEqual({
      id: expect.stringMatching(UUID),
      name: 'spring',
      color: 'accent',
      createdAt: expect.stringMatching(TIME),
      updatedAt: tag.createdAt,
    })
    expect((await list(acme)).items).toContainEqual({ value: 'spring', label: 'spring', id: tag.id, color: 'accent' })
  })

  it('has no color unless one is given', async () => {
    expect((await created(acme, { name: 'plain' })).color).toBeNull()
    expect((await created(acme, { name: 'null', color: null })).color).toBeNull()
  })

  it('has a name of its own, compared exactly', async () => {
    await created(acme, { name: 'vip' })
    expect(outcome(await create(acme, { name: ' vip ' }))).toEqual(coded(409, 'tag_name_taken'))
    await created(acme, { name: 'VIP' })
  })

  it('may be called whatever fits into 60 characters', async () => {
    for (const name of ['x'.repeat(60), '👩'.repeat(60), "'; drop table read.tags; --", '{"a":1}', 'constructor', '__proto__', '🏳️‍🌈 שלום'])
      expect((await created(acme, { name })).name).toBe(name)
  })

  it.each([
    [{}, 'name must be a string'],
    [{ name: '' }, 'name should not be empty'],
    [{ name: ' \t ' }, 'name should not be empty'],
    [{ name: 'x'.repeat(61) }, 'name must be shorter than or equal to 60 characters'],
    [{ name: ['a'] }, 'name must be a string'],
    [{ name: 'a', color: 'pink' }, /^color must be one of the following values: neutral, primary/],
    [{ name: 'a', color: '' }, /^color must be one of/],
    [{ name: 'a', id: 'x' }, 'property id should not exist'],
    [[], expect.any(String)],
  ])('made of %j is refused', async (body, message) => {
    const { status, success, message: said } = outcome(await create(acme, body))
    expect([status, success]).toEqual([400, false])
    expect(said).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message)
  })

  it('is made once by a request that is repeated under its idempotency key', async () => {
    const key = { 'Idempotency-Key': 'make a tag' }
    const [first, again] = [await create(acme, { name: 'once' }, key), await create(acme, { name: 'once' }, key)]
    expect(again.body).toEqual(first.body)
    expect(again.status).toBe(201)
  })
})

describe('the list of tags', () => {
  it('is alphabetical whatever the case, and ids break ties', async () => {
    const client = await world.workspace('sorted')
    for (const name of ['beta', 'Alpha', 'gamma', 'alpha', 'Éclair', 'eclair', 'Delta', 'ALPHA']) await created(client, { name })
    const { items } = await list(client)
    const alphas = items.slice(0, 3)
    expect(alphas.map(({ id }) => id)).toEqual(alphas.map(({ id }) => id).toSorted())
    expect(new Set(alphas.map(({ value }) => value))).toEqual(new Set(['Alpha', 'alpha', 'ALPHA']))
    expect(items.slice(3).map(({ value }) => value)).toEqual(['beta', 'Delta', 'eclair', 'Éclair', 'gamma'])
  })

  it('is paged', async () => {
    const client = await world.workspace('paged')
    for (const name of ['c', 'a', 'b']) await created(client, { name })
    expect(await list(client, '?limit=2')).toMatchObject({ limit: 2, offset: 0, total: 3, has_more: true, next_cursor: '2' })
    expect(await list(client, '?limit=2&offset=2')).toMatchObject({ items: [{ value: 'c' }], total: 3, has_more: false, next_cursor: null })
    expect(await list(client, '?offset=9')).toMatchObject({ items: [], limit: 50, offset: 9, total: 3, has_more: false, next_cursor: null })
  })

  it.each([
    ['?page=1', 'property page should not exist'],
    ['?search=a', 'property search should not exist'],
    ['?limit=101', 'limit must not be greater than 100'],
    ['?offset=-1', 'offset must not be less than 0'],
  ])('%s is 400', async (query, message) => {
    expect(outcome(await acme.request('GET', `/public/tags${query}`))).toEqual(uncoded(400, message))
  })

  it('is of one workspace: others may use the same names', async () => {
    const [one, other] = [await world.workspace('one'), await world.workspace('other')]
    await created(one, { name: 'same' })
    await created(other, { name: 'same' })
    await created(other, { name: 'more' })
    expect([await names(one), await names(other)]).toEqual([['same'], ['more', 'same']])
  })
})

describe('tags that are made at the same time', () => {
  it('never share a name', async () => {
    const client = await world.workspace('racing')
    const answers = await Promise.all(Array.from({ length: 30 }, () => create(client, { name: 'mine' })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 29 }, () => 409)])
    expect(await names(client)).toEqual(['mine'])
  })

  it('are never more than 200, and a taken name is refused before the limit is', async () => {
    const client = await world.workspace('full')
    const answers = await Promise.all(Array.from({ length: 220 }, (_, n) => create(client, { name: `tag ${n}` })))
    const made = answers.filter(({ status }) => status === 201)
    expect(made).toHaveLength(200)
    for (const answer of answers.filter(({ status }) => status !== 201)) expect(outcome(answer)).toEqual(coded(400, 'tag_limit_reached'))
    expect((await list(client)).total).toBe(200)
    const [taken] = await names(client)
    expect(outcome(await create(client, { name: taken }))).toEqual(coded(409, 'tag_name_taken'))
    expect(outcome(await create(client, { name: 'one more' }))).toEqual(coded(400, 'tag_limit_reached'))
  })
})

describe('tags of the workspace file', () => {
  let filed: Client
  const apply = (tags: string) => world.apply(`workspace: { slug: filed, name: filed }\ntags: ${tags}`)

  it('are made, matched by their names, and recolored', async () => {
    filed = await world.workspace('filed', 'tags: [{ name: spring, color: accent }, { name: plain }]')
    const { id: byApi } = await created(filed, { name: 'by api' })
    const { tags } = await apply('[{ name: " spring ", color: warn }, { name: by api, color: info }, { name: plain }]')
    expect(tags).toEqual({ ...filed.applied.tags, 'by api': byApi })
    expect((await list(filed)).items).toEqual([
      { value: 'by api', label: 'by api', id: byApi, color: 'info' },
      { value: 'plain', label: 'plain', id: tags.plain, color: null },
      { value: 'spring', label: 'spring', id: tags.spring, color: 'warn' },
    ])
  })

  it('are refused as a whole when they were too many', async () => {
    const many = JSON.stringify(Array.from({ length: 198 }, (_, n) => ({ name: `tag ${n}` })))
    await expect(apply(many)).rejects.toThrow('tags: the workspace has 3 tags and may have 200: remove at least 1 new ones')
    expect((await list(filed)).total).toBe(3)
  })
})
