import type { Json, Rule } from '@tidings/domain'
import { untilVisible } from '@tidings/service/read-side'
import type { Stores } from '@tidings/service/stores'
import { until } from '@tidings/testing'
import { expect } from 'vitest'
import { naiveAnswer } from '../../../domain/test/rules/naive-answer.testing.ts'
import { factsOf } from '../../../domain/test/rules/rules.testing.ts'

const count = async ({ pool }: Stores, sql: string, values: readonly unknown[]): Promise<number> =>
  Number((await pool.query<{ n: string }>(`select count(*) as n from ${sql}`, [...values])).rows[0]?.n)

/** The group is behind the log; or the relay is, or the group behind what that has published. */
const BEHIND = `(
  select 1 from ops.consumer_checkpoint where consumer_group = 'dynamic-lists' and relay is null and position_commit < $1
  union all select 1 from ops.relay where position_commit < $1
  union all select 1 from ops.relay_partition p join ops.consumer_partition c using (partition)
    where c.consumer_group = 'dynamic-lists' and c.position_commit < p.position_commit) behind`

/** Nothing of the workspace waits any more, now or until a later time that is near. */
export async function untilSettled(stores: Stores, workspaceId: string): Promise<void> {
  await until(async () => {
    const head = await stores.log.head()
    expect(await untilVisible(stores.pool, head, { timeoutMs: 180_000 })).toBe(true)
    expect(await count(stores, BEHIND, [head.commit])).toBe(0)
    expect(await count(stores, 'lists.run where workspace_id = $1 and finished_at is null', [workspaceId])).toBe(0)
    expect(await count(stores, `lists.due where workspace_id = $1 and due_at < clock_timestamp() + interval '10 s'`, [workspaceId])).toBe(0)
    for (const table of ['job', 'bundle']) expect(await count(stores, `inbox.${table} where workspace_id = $1`, [workspaceId])).toBe(0)
    expect((await stores.log.head()).commit).toBe(head.commit)
  }, 100)
}

type KnownMembers = Readonly<{
  id: string
  first_name: string | null
  tags: readonly string[]
  custom_properties: Readonly<Record<string, Json>>
  created_at: Date
  count: string | null
  last_at: Date | null
}>

/** Computes the members by a look at everybody. */
export async function expectedMembers({ pool }: Stores, workspaceId: string, rules: ReadonlyMap<string, Rule>): Promise<readonly string[]> {
  const { rows } = await pool.query<KnownMembers>(
    `select p.*, a.count, a.last_at from read.profiles p
     left join read.activity_facts a on a.workspace_id = p.workspace_id and a.contact_id = p.id where p.workspace_id = $1`,
    [workspaceId],
  )
  const facts = (row: KnownMembers) =>
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

/** The members as reads show them. */
export async function actualMembers({ pool }: Stores, workspaceId: string): Promise<readonly string[]> {
  const sql = 'select list_id, contact_id from read.list_members where workspace_id = $1'
  const { rows } = await pool.query<{ list_id: string; contact_id: string }>(sql, [workspaceId])
  return rows.map(({ list_id, contact_id }) => `${list_id} ${contact_id}`)
}
