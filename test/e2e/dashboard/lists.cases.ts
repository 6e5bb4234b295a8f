import type { EditedList, RuleCount } from '@tidings/contracts'
import { MAX_DYNAMIC_LISTS } from '@tidings/domain'
import { beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { profilesOf } from '../support/profiles.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; stranger: Session; signedIn: (client: Client, email: string) => Promise<Session> }>

const ADA = 'ada@rules.example'
const FILE = `users: [{ email: ${ADA}, password: correct horse battery, role: member }]
lists: [{ name: VIP, type: static }]`
const hebrew = { all: [{ field: 'locale', op: 'eq', value: 'he' }] }
const named = { any: [{ field: 'firstName', op: 'contains', value: 'o' }, { all: [{ field: 'email', op: 'exists', value: true }] }] }

/** A member makes lists by rules, in a workspace of three people. */
export function listCases(doors: () => Doors): void {
  let client: Client
  let ada: Session
  const create = (name: string, rule?: object, more: object = {}) =>
    ada.call('POST /dashboard/lists', { body: { name, type: 'dynamic', rule, ...more } })
  const made = async (name: string, rule: object = hebrew) => dataOf<EditedList>(await create(name, rule), 201)
  const put = (session: Session, { id, etag }: EditedList, rule: unknown) =>
    session.call(`PUT /dashboard/lists/${id}`, { body: { rule }, headers: { 'If-Match': `"${etag}"` } })
  const read = async (id: string) => dataOf<EditedList>(await ada.call(`GET /dashboard/lists/${id}`), 200)

  describe('lists', () => {
    beforeAll(async () => {
      const { world, signedIn } = doors()
      client = await world.workspace('rules', FILE)
      ada = await signedIn(client, ADA)
      for (const [firstName, locale] of [
        ['Noa', 'he'],
        ['Dan', 'he'],
        ['Tom', 'en'],
      ])
        await profilesOf(client).create({ email: `${firstName}@rules-people.example`, firstName, locale })
    })

    it('are made under a name that is free, and get the members that their rule says', async () => {
      const list = await made('Hebrew')
      expect(list).toMatchObject({ name: 'Hebrew', type: 'dynamic', rule: hebrew, version: 1, changedBy: ADA })
      expect(outcome(await create('Hebrew', named))).toEqual(coded(409, 'list_name_taken'))
      const done = await eventually(
        () => read(list.id),
        ({ run, members }) => (run?.finishedAt ?? null) !== null && members === 2,
      )
      expect(done.run).toMatchObject({ version: 1, contacts: 3, changes: 2, isTimed: false })
      expect(done.etag).toBe(list.etag)
      const fixed = dataOf<EditedList>(await create('By hand', undefined, { type: 'static' }), 201)
      expect(fixed).toMatchObject({ type: 'static', rule: null, run: null, version: 0 })
      expect(outcome(await put(ada, fixed, hebrew))).toEqual(uncoded(400, 'A list keeps its type'))
    })

    it('are refused a rule that is none, with the sentence of the rule', async () => {
      const deep = Array.from({ length: 5 }).reduce<object>((rule) => ({ all: [rule] }), hebrew.all[0] as object)
      const wide = { any: Array.from({ length: 51 }, () => hebrew.all[0]) }
      const cases: readonly (readonly [object | undefined, RegExp])[] = [
        [undefined, /^rule must be a map/],
        [{}, /^rule\.field must be a field of a profile/],
        [{ all: [] }, /^rule\.all must be a list with at least one condition/],
        [deep, /too deep: a rule has at most 5 levels/],
        [wide, /^rule\.any\[50\] is one condition too many/],
        [{ field: 'createdAt', op: 'contains', value: 'x' }, /^rule\.op: createdAt takes one of/],
        [{ field: 'birthday', op: 'eq', value: 'a\u0000b' }, /./],
      ]
      for (const [rule, sentence] of cases) {
        const answer = await create('Wrong', rule)
        expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(sentence)])
        if (rule !== undefined) expect((await ada.call('POST /dashboard/lists/count', { body: { rule } })).status).toBe(400)
      }
      expect((await create('Wrong', hebrew, { type: 'static' })).status).toBe(400)
      const known = dataOf<{ items: { name: string }[] }>(await ada.call('GET /dashboard/lists?limit=100'), 200)
      expect(known.items.map(({ name }) => name)).not.toContain('Wrong')
    })

    it('are changed where they are still as they were read, and restored from their history', async () => {
      const first = await made('History')
      const second = dataOf<EditedList>(await put(ada, first, named), 200)
      expect(second).toMatchObject({ version: 2, rule: named })
      const late = await put(ada, first, hebrew)
      expect(outcome(late)).toEqual(coded(409, 'changed_meanwhile'))
      expect(late.body).toMatchObject({ by: ADA })
      const path = `/dashboard/lists/${first.id}`
      const restore = (version: number, { etag }: EditedList) =>
        ada.call(`POST ${path}/versions`, { body: { version }, headers: { 'If-Match': `"${etag}"` } })
      expect(outcome(await restore(3, second))).toEqual(coded(404, 'list_version_not_found'))
      const third = dataOf<EditedList>(await restore(1, second), 200)
      expect(third).toMatchObject({ version: 3, rule: hebrew })
      const history = dataOf<{ items: object[] }>(await ada.call(`GET ${path}/versions`), 200)
      expect(history).toMatchObject({
        items: [
          { version: 3, what: 'changed', by: ADA, restoredFrom: 1 },
          { version: 2, what: 'changed', restoredFrom: null },
          { version: 1, what: 'created' },
        ],
        next_cursor: null,
      })
      expect(dataOf<object>(await ada.call(`GET ${path}/version?version=2`), 200)).toMatchObject({ version: 2, content: named })
      expect(outcome(await ada.call(`GET ${path}/version?version=4`))).toEqual(coded(404, 'list_version_not_found'))
      const fixed = dataOf<object>(await ada.call(`GET /dashboard/lists/${client.applied.lists.VIP}/versions`), 200)
      expect(fixed).toEqual({ items: [], next_cursor: null })
    })

    it('store an address as contacts have it', async () => {
      const { rule } = await made('Address', { field: 'email', op: 'eq', value: 'Noa@RULES-people.example' })
      expect(rule).toEqual({ field: 'email', op: 'eq', value: 'noa@rules-people.example' })
    })

    it('of another workspace are not there', async () => {
      const { stranger } = doors()
      const list = await made('Own')
      const path = `/dashboard/lists/${list.id}`
      const headers = { 'If-Match': `"${list.etag}"` }
      for (const asked of [
        stranger.call(`GET ${path}`),
        stranger.call(`GET ${path}/versions`),
        stranger.call(`GET ${path}/version?version=1`),
        stranger.call(`POST ${path}/versions`, { body: { version: 1 }, headers }),
        put(stranger, list, named),
      ])
        expect(outcome(await asked)).toEqual(uncoded(404, 'List not found'))
      expect(await read(list.id)).toMatchObject({ version: 1, rule: hebrew })
    })

    it('are counted before they are made, a step at a time', async () => {
      const step = async (rule: object, after?: string, session = ada) =>
        dataOf<RuleCount>(await session.call('POST /dashboard/lists/count', { body: { rule, after } }), 200)
      const counted = await step(hebrew)
      expect(counted).toMatchObject({ total: 3, looked: 3, matches: 2, next: null })
      expect(counted.people.map(({ name }) => name).toSorted()).toEqual(['Dan', 'Noa'])
      expect((await step({ field: 'event.never.count', op: 'eq', value: 0 })).matches).toBe(3)
      expect(await step(hebrew, undefined, doors().stranger)).toMatchObject({ matches: 0, people: [] })
      await doors().world.stores.pool.query(
        `insert into read.profiles select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid()))).*
         from read.profiles p, generate_series(1, 5200) where p.workspace_id = $1 and p.first_name = 'Noa'`,
        [client.applied.workspace.id],
      )
      const [one, two] = [await step(hebrew), await step(hebrew, (await step(hebrew)).next ?? '')]
      expect([one.looked, one.people.length, two.next]).toEqual([5_000, 10, null])
      expect([one.looked + two.looked, one.matches + two.matches]).toEqual([5_203, 5_202])
    })

    it('that are dynamic are at most so many', async () => {
      await doors().world.stores.pool.query(
        `insert into read.lists select (jsonb_populate_record(l, jsonb_build_object('id', gen_random_uuid()))).*
         from read.lists l, generate_series(1, $2::int) where l.workspace_id = $1 and l.name = 'Hebrew'`,
        [client.applied.workspace.id, MAX_DYNAMIC_LISTS],
      )
      expect(outcome(await create('One more', hebrew))).toEqual(coded(409, 'list_limit_reached'))
      expect((await create('By hand too', undefined, { type: 'static' })).status).toBe(201)
    })
  })
}
