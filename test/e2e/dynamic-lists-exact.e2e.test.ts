import { randomUUID } from 'node:crypto'
import { createCommandRunner } from '@tidings/commands'
import { startDynamicLists } from '@tidings/consumers'
import { activity, activityStream, contact, contactStream, type Json, list, listStream, parseRule, type Rule } from '@tidings/domain'
import { readSide } from '@tidings/projections'
import { untilVisible } from '@tidings/service/read-side'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { naiveAnswer } from '../../domain/src/rules/naive-answer.testing.ts'
import { anyRule, factsOf } from '../../domain/src/rules/rules.testing.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let runner: ReturnType<typeof createCommandRunner>
/** A second process beside the service, in whose runs two contacts are a page. */
let beside: Readonly<{ stop: () => Promise<void> }>
beforeAll(async () => {
  world = await startWorld()
  const { log, pool } = world.stores
  runner = createCommandRunner({ log })
  const reads = readSide({ pool })
  const lists = startDynamicLists({ log, pool, runner: createCommandRunner({ log }), reads, pageOf: 2, idleMs: 50 })
  beside = {
    stop: async () => {
      await lists.stop()
      await reads.close()
    },
  }
})
afterAll(async () => {
  await beside.stop()
  await world.stop()
})

const contacts = Array.from({ length: 6 }, (_, n) => n)
const word = fc.constantFrom('a', 'ab', 'b', '5')
const details = fc.record(
  {
    firstName: fc.option(word),
    tags: fc.uniqueArray(word, { maxLength: 2 }),
    customProperties: fc.record({ spend: fc.oneof(fc.integer({ min: 0, max: 6 }), word, fc.constant(null)) }),
  },
  { requiredKeys: [] },
)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ who: fc.constantFrom(...contacts), details }) },
  { weight: 2, arbitrary: fc.record({ who: fc.constantFrom(...contacts), placed: fc.constant(true) }) },
  { weight: 2, arbitrary: fc.record({ list: fc.nat(2), rule: anyRule }) },
  { weight: 1, arbitrary: fc.record({ list: fc.constant(3), rule: fc.constant(momentarily()) }) },
)
type Step = Readonly<{ who?: number; details?: object; placed?: true; list?: number; rule?: unknown }>

/** Holds of a contact for 0.9 s after its last event. */
function momentarily(): unknown {
  return { field: 'event.placed.last', op: 'within_days', value: 0.00001 }
}

const history = (workspaceId: string) => {
  const people = contacts.map(() => randomUUID())
  const lists = [0, 1, 2, 3].map(() => randomUUID())
  const rules = new Map<string, Rule>()
  const existing = new Set<string>()
  let minute = 0
  const context = () => {
    const commandId = randomUUID()
    return { commandId, workspaceId, actor: 'test', requestId: commandId, at: new Date().toISOString() }
  }
  const change = async (contactId: string, changed: object): Promise<void> => {
    const type = existing.has(contactId) ? 'UpdateContact' : 'CreateContact'
    existing.add(contactId)
    const command = { type, data: { contactId, details: changed, source: 'test' } } as const
    await runner.execute({ decider: contact, stream: contactStream(workspaceId, contactId), command, context: context() })
  }
  const place = async (contactId: string): Promise<void> => {
    const activityId = randomUUID()
    const occurredAt = new Date(Date.now() - 60_000 * (minute++ % 2)).toISOString()
    const data = { activityId, contactId, event: 'placed', source: 'api', occurredAt, properties: {} } as const
    const stream = activityStream(workspaceId, activityId)
    await runner.execute({ decider: activity, stream, command: { type: 'RecordActivity', data }, context: context() })
  }
  const configure = async (listId: string, input: unknown): Promise<void> => {
    const rule = parseRule(input)
    rules.set(listId, rule)
    const data = { listId, name: listId, listType: 'dynamic', rule } as const
    const stream = listStream(workspaceId, listId)
    await runner.execute({ decider: list, stream, command: { type: 'ConfigureList', data }, context: context() })
  }
  return {
    rules,
    take: async ({ who, details: changed, list: nth, rule }: Step): Promise<void> => {
      if (nth !== undefined) return await configure(lists[nth] ?? '', rule)
      const contactId = people[who ?? 0] ?? ''
      if (changed !== undefined) return await change(contactId, changed)
      if (existing.has(contactId)) await place(contactId)
    },
  }
}

const count = async (sql: string, values: readonly unknown[]): Promise<number> =>
  Number((await world.stores.pool.query<{ n: string }>(`select count(*) as n from ${sql}`, [...values])).rows[0]?.n)

/** Nothing of the workspace waits any more, now or until a later time that is near. */
const settled = (workspaceId: string) =>
  vi.waitFor(
    async () => {
      const head = await world.stores.log.head()
      expect(await untilVisible(world.stores.pool, head, { timeoutMs: 10_000 })).toBe(true)
      expect(await count(`ops.consumer_checkpoint where consumer_group = 'dynamic-lists' and position_commit < $1`, [head.commit])).toBe(0)
      expect(await count('lists.run where workspace_id = $1 and finished_at is null', [workspaceId])).toBe(0)
      expect(await count(`lists.due where workspace_id = $1 and due_at < clock_timestamp() + interval '10 s'`, [workspaceId])).toBe(0)
      expect(await count(`inbox.job where workspace_id = $1`, [workspaceId])).toBe(0)
      expect((await world.stores.log.head()).commit).toBe(head.commit)
    },
    { timeout: 60_000, interval: 100 },
  )

type Known = Readonly<{
  id: string
  first_name: string | null
  tags: readonly string[]
  custom_properties: Readonly<Record<string, Json>>
  created_at: Date
  count: string | null
  last_at: Date | null
}>

const expected = async (workspaceId: string, rules: ReadonlyMap<string, Rule>): Promise<readonly string[]> => {
  const { rows } = await world.stores.pool.query<Known>(
    `select p.*, a.count, a.last_at from read.profiles p
     left join read.activity_facts a on a.workspace_id = p.workspace_id and a.contact_id = p.id where p.workspace_id = $1`,
    [workspaceId],
  )
  const facts = (row: Known) =>
    factsOf({
      profile: { firstName: row.first_name, createdAt: row.created_at.getTime() },
      tags: row.tags,
      customProperties: row.custom_properties,
      events: new Map(row.last_at === null ? [] : [['placed', { count: Number(row.count), lastAt: row.last_at.getTime() }]]),
    })
  return [...rules].flatMap(([listId, rule]) =>
    rows.filter((row) => naiveAnswer(rule, facts(row), Date.now())).map(({ id }) => `${listId} ${id}`),
  )
}

const actual = async (workspaceId: string): Promise<readonly string[]> => {
  const sql = 'select list_id, contact_id from read.list_members where workspace_id = $1'
  const { rows } = await world.stores.pool.query<{ list_id: string; contact_id: string }>(sql, [workspaceId])
  return rows.map(({ list_id, contact_id }) => `${list_id} ${contact_id}`)
}

it('after any history, one step after the other or several at once, the members are those whom a look at everybody finds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 8 }), async (rounds) => {
      const workspaceId = randomUUID()
      const { take, rules } = history(workspaceId)
      for (const steps of rounds) await Promise.all(steps.map((one) => take(one)))
      await settled(workspaceId)
      expect((await actual(workspaceId)).toSorted()).toEqual((await expected(workspaceId, rules)).toSorted())
    }),
    { numRuns: 8, endOnFailure: true },
  )
}, 300_000)
