import { randomUUID } from 'node:crypto'
import { createCommandRunner } from '@tidings/commands'
import { asListId, list, listStream } from '@tidings/domain'
import { createProvisioner } from '@tidings/provisioning'
import { untilVisible } from '@tidings/service/read-side'
import { PATIENT_MS } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { listsOf } from './support/lists.ts'
import { profilesOf } from './support/profiles.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client
let lists: ReturnType<typeof listsOf>
/** A dynamic list: no workspace file makes one yet. */
const dynamicId = asListId(randomUUID())

const names = ['adding', 'removing', 'mixed case', 'filtered', 'empty', 'repeated', 'refusing', 'late', 'in order']

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme', `lists: [${names.map((name) => `{ name: ${name}, type: static }`)}]`)
  lists = listsOf(acme)
  const { id } = acme.applied.workspace
  const operator = createProvisioner(createCommandRunner({ log: world.stores.log, deadlineMs: PATIENT_MS }))
  await operator.execute(id, list, listStream(id, dynamicId), {
    type: 'ConfigureList',
    data: { listId: dynamicId, name: 'dynamic', listType: 'dynamic' },
  })
  await untilVisible(world.stores.pool, operator.last(), { timeoutMs: 180_000 })
})
afterAll(() => world.stop())

const members = async (id: string, query = '') => profilesOf(acme).list(`?segmentId=${id}&limit=200${query}`)
const emailsOn = async (id: string) => (await members(id)).items.map(({ email }) => email).toSorted()
const profile = async (email: string) => (await profilesOf(acme).upsert({ email })).id

describe('adding members', () => {
  it('takes emails and ids, makes unknown emails contacts, skips unknown ids, and counts each person once', async () => {
    const id = lists.id('adding')
    const [ann, bob] = [await profile('ann@list.example'), await profile('bob@list.example')]
    expect(
      await lists.add(id, {
        emails: ['ann@list.example', 'new@list.example', ' NEW@list.example '],
        contactIds: [ann, bob, bob.toUpperCase(), randomUUID()],
      }),
    ).toEqual({ added: 3, count: 3 })
    expect(await emailsOn(id)).toEqual(['ann@list.example', 'bob@list.example', 'new@list.example'])
    expect(await profilesOf(acme).lookup('new@list.example')).toMatchObject({ emailConsent: 'never_subscribed', phone: null })
    expect(await lists.add(id, { emails: ['cid@list.example'], contactIds: [ann] })).toEqual({ added: 1, count: 4 })
    expect(await lists.add(id, { emails: [], contactIds: [ann] })).toEqual({ added: 0, count: 4 })
  })

  it('takes 100 emails and 100 ids in one call', async () => {
    const client = await world.workspace('hundreds', 'lists: [{ name: all, type: static }]')
    const emails = Array.from({ length: 100 }, (_, n) => `${n}@hundred.example`)
    const own = listsOf(client)
    expect(await own.add(own.id('all'), { emails })).toEqual({ added: 100, count: 100 })
    const { items, total } = await profilesOf(client).list(`?segmentId=${own.id('all')}&limit=200`)
    expect([items.length, total]).toEqual([100, 100])
    const contactIds = items.map(({ id }) => id)
    expect(await own.add(own.id('all'), { emails, contactIds })).toEqual({ added: 0, count: 100 })
    expect(await own.remove(own.id('all'), { emails, contactIds })).toEqual({ removed: 100, count: 0 })
    expect((await own.page()).items).toMatchObject([{ profiles: 0 }])
  })

  it('leaves other lists and their counts alone', async () => {
    const id = lists.id('mixed case')
    await lists.add(id, { emails: ['Dora@List.Example'] })
    expect(await emailsOn(id)).toEqual(['dora@list.example'])
    expect(await lists.add(lists.id('late'), { emails: ['dora@list.example'] })).toEqual({ added: 1, count: 1 })
  })

  it('counts for a repeated request, whose first answer was lost, what the first had done', async () => {
    const id = lists.id('repeated')
    const key = { 'Idempotency-Key': 'lost' }
    const emails = ['one@repeated.example', 'two@repeated.example']
    expect(await lists.add(id, { emails }, key)).toEqual({ added: 2, count: 2 })
    expect(await lists.add(id, { emails: ['three@repeated.example'] })).toEqual({ added: 1, count: 3 })
    // A process that is killed before it answers leaves this.
    await world.stores.pool.query(
      "update ops.idempotency set status = null, answer = null, lease_until = now() - interval '1 s' where workspace_id = $1",
      [acme.applied.workspace.id],
    )
    expect(await lists.add(id, { emails }, key)).toEqual({ added: 2, count: 3 })
    expect(await lists.add(id, { emails }, key)).toEqual({ added: 2, count: 3 })
  })
})

describe('removing members', () => {
  it('takes an email, emails and ids, and skips contacts that are unknown or not on the list', async () => {
    const id = lists.id('removing')
    const emails = ['a@remove.example', 'b@remove.example', 'c@remove.example', 'd@remove.example']
    await lists.add(id, { emails })
    const [stranger, c] = [await profile('stranger@remove.example'), await profile('c@remove.example')]
    expect(await lists.remove(id, { email: ' A@remove.example' })).toEqual({ removed: 1, count: 3 })
    expect(
      await lists.remove(id, {
        email: 'b@remove.example',
        emails: ['b@remove.example', 'unknown@remove.example', 'no address'],
        contactIds: [c, c, stranger, randomUUID()],
      }),
    ).toEqual({ removed: 2, count: 1 })
    expect(await emailsOn(id)).toEqual(['d@remove.example'])
    expect((await profilesOf(acme).list('?search=unknown@remove')).total).toBe(0)
  })

  it('takes one contact by the path, and answers the count even where it was no member', async () => {
    const id = lists.id('removing')
    await lists.add(id, { emails: ['e@remove.example'] })
    const e = await profile('e@remove.example')
    expect(await lists.removeOne(id, e)).toEqual({ count: 1 })
    expect(await lists.removeOne(id, e)).toEqual({ count: 1 })
    expect(await lists.removeOne(id, randomUUID())).toEqual({ count: 1 })
  })

  it('is undone by adding again', async () => {
    const id = lists.id('removing')
    expect(await lists.add(id, { emails: ['e@remove.example'] })).toEqual({ added: 1, count: 2 })
  })
})

describe('a call about members', () => {
  const many = (length: number) => Array.from({ length }, (_, n) => `${n}@x.example`)

  it.each([
    ['POST', {}, 'emails or contactIds is required'],
    ['POST', { emails: [], contactIds: [] }, 'emails or contactIds is required'],
    ['POST', { emails: null }, 'emails or contactIds is required'],
    ['POST', { emails: 'a@b.example' }, 'emails must be an array'],
    ['POST', { emails: many(101) }, 'emails must contain no more than 100 elements'],
    ['POST', { emails: ['a@b.example', 'no address'] }, 'each value in emails must be an email'],
    ['POST', { emails: [`${'x'.repeat(320)}@b.example`] }, 'each value in emails must be an email'],
    ['POST', { emails: [{ $ne: null }] }, 'each value in emails must be a string'],
    ['POST', { contactIds: ['7'] }, 'each value in contactIds must be a UUID'],
    ['POST', { contactIds: Array.from({ length: 101 }, () => randomUUID()) }, 'contactIds must contain no more than 100 elements'],
    ['POST', { email: 'a@b.example' }, 'property email should not exist'],
    ['DELETE', {}, 'email, emails or contactIds is required'],
    ['DELETE', { emails: [] }, 'email, emails or contactIds is required'],
    ['DELETE', { email: '' }, 'email should not be empty'],
    ['DELETE', { emails: many(101) }, 'emails must contain no more than 100 elements'],
    ['DELETE', { contactIds: [null] }, 'each value in contactIds must be a string'],
    ['DELETE', { phones: ['1'] }, 'property phones should not exist'],
  ])('%s %j is refused, and nothing is written', async (method, body, message) => {
    const id = lists.id('refusing')
    expect(outcome(await acme.request(method, `/public/lists/${id}/members`, body))).toEqual(uncoded(400, message))
    expect(await members(id)).toMatchObject({ items: [], total: 0 })
  })

  it('needs a list that is there', async () => {
    for (const [method, path, body] of [
      ['POST', `/public/lists/${randomUUID()}/members`, { emails: ['ghost@list.example'] }],
      ['DELETE', `/public/lists/${randomUUID()}/members`, { email: 'a@b.example' }],
      ['DELETE', `/public/lists/${randomUUID()}/members/${randomUUID()}`, undefined],
    ] as const)
      expect(outcome(await acme.request(method, path, body))).toEqual(uncoded(404, 'List not found'))
    expect((await profilesOf(acme).list('?search=ghost@list')).total).toBe(0)
  })

  it('needs a static list', async () => {
    for (const [method, path, body] of [
      ['POST', `/public/lists/${dynamicId}/members`, { emails: ['ghost@list.example'] }],
      ['DELETE', `/public/lists/${dynamicId}/members`, { email: 'a@b.example' }],
      ['DELETE', `/public/lists/${dynamicId}/members/${randomUUID()}`, undefined],
    ] as const)
      expect(outcome(await acme.request(method, path, body))).toEqual(uncoded(400, 'Only static lists can be modified'))
    expect((await profilesOf(acme).list('?search=ghost@list')).total).toBe(0)
  })

  it('needs ids in its path', async () => {
    for (const [method, path] of [
      ['POST', '/public/lists/VIP/members'],
      ['DELETE', `/public/lists/${lists.id('empty')}/members/7`],
    ] as const)
      expect(outcome(await acme.request(method, path, { emails: ['a@b.example'] }))).toEqual(
        uncoded(400, 'Validation failed (uuid is expected)'),
      )
  })
})

describe('the list of lists', () => {
  it('shows each with its members counted, the newest first, whatever contacts came to it since', async () => {
    const client = await world.workspace('ordered', 'lists: [{ name: first, type: static }]')
    const { applied } = {
      applied: await world.apply('{ workspace: { slug: ordered, name: ordered }, lists: [{ name: second, type: static }] }'),
    }
    const own = listsOf(client)
    await own.add(own.id('first'), { emails: ['a@b.example', 'c@d.example'] })
    expect(await own.page()).toEqual({
      items: [
        { id: applied.lists.second, name: 'second', type: 'static', profiles: 0 },
        { id: own.id('first'), name: 'first', type: 'static', profiles: 2 },
      ],
      limit: 50,
      offset: 0,
      total: 2,
      has_more: false,
      next_cursor: null,
    })
    expect(await own.page('?limit=1&offset=1')).toMatchObject({ items: [{ name: 'first' }], total: 2, has_more: false })
    expect(await own.page('?offset=5')).toMatchObject({ items: [], total: 2 })
  })

  it.each([
    ['?page=1', 'property page should not exist'],
    ['?type=static', 'property type should not exist'],
    ['?limit=101', 'limit must not be greater than 100'],
  ])('%s is 400', async (query, message) => {
    expect(outcome(await acme.request('GET', `/public/lists${query}`))).toEqual(uncoded(400, message))
  })

  it('has the lists of the workspace file, by the ids that applying it says, however often', async () => {
    const file = `{ workspace: { slug: acme, name: acme }, lists: [{ name: adding, type: static }] }`
    expect((await world.apply(file)).lists).toEqual({ adding: lists.id('adding') })
    const shown = (await lists.page('?limit=100')).items.filter(({ name }) => name === 'adding')
    expect(shown).toMatchObject([{ id: lists.id('adding'), type: 'static' }])
  })
})

describe('profiles of a list', () => {
  it('can be filtered, searched, sorted and paged like any', async () => {
    const id = lists.id('filtered')
    const emails = ['f1@filter.example', 'f2@filter.example', 'f3@filter.example']
    await lists.add(id, { emails })
    await profilesOf(acme).upsert({ email: 'f2@filter.example', emailConsent: 'subscribed', firstName: 'Fay' })
    await profilesOf(acme).upsert({ email: 'f4@filter.example', emailConsent: 'subscribed', firstName: 'Fay' })
    const found = async (query: string) => {
      const { items, total } = await members(id, query)
      return [items.map(({ email }) => email), total]
    }
    expect(await found('&consent=subscribed')).toEqual([['f2@filter.example'], 1])
    expect(await found('&search=fay')).toEqual([['f2@filter.example'], 1])
    expect(await found('&sort=-email')).toEqual([emails.toReversed(), 3])
    expect(await profilesOf(acme).list(`?segmentId=${id}&sort=email&limit=2`)).toMatchObject({ total: 3, has_more: true, next_cursor: '2' })
  })

  it('come newest first, whenever they were added', async () => {
    const id = lists.id('in order')
    const emails = ['o1@order.example', 'o2@order.example', 'o3@order.example']
    for (const email of emails) await profile(email)
    for (const email of ['o2@order.example', 'o3@order.example', 'o1@order.example']) await lists.add(id, { emails: [email] })
    const found = async (query: string) => (await members(id, query)).items.map(({ email }) => email)
    expect(await found('')).toEqual(emails.toReversed())
    expect(await found('&sort=createdAt')).toEqual(emails.toReversed())
    expect(await found('&sort=createdAt:asc')).toEqual(emails)
    expect(await profilesOf(acme).list(`?segmentId=${id}&limit=1&page=2`)).toMatchObject({
      items: [{ email: 'o2@order.example' }],
      total: 3,
    })
    expect(await profilesOf(acme).list(`?segmentId=${id}&offset=3`)).toMatchObject({ items: [], total: 3, has_more: false })
  })

  it('are none where the list is empty, dynamic, or unknown', async () => {
    for (const id of [lists.id('empty'), dynamicId, randomUUID()]) expect(await members(id)).toMatchObject({ items: [], total: 0 })
    expect(outcome(await acme.request('GET', '/public/profiles?segmentId=VIP'))).toEqual(uncoded(400, 'segmentId must be a UUID'))
  })
})
