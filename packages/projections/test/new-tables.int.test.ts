import { randomUUID } from 'node:crypto'
import type { WorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProjection } from '../src/follow/checkpoint.ts'
import { defineProjection, defineTable } from '../src/index.ts'

type PersonRow = Record<'email' | 'phone' | 'first_name' | 'last_name' | 'timezone' | 'locale' | 'notes' | 'tier', string | null> &
  Record<'id' | 'email_consent' | 'sms_consent' | 'push_consent' | 'created_at' | 'updated_at', string> & { workspace_id: WorkspaceId }

/** As the table of profiles: several indices begin with the workspace, and the planner expects wide rows, of which few are on a page. */
const people = defineTable<PersonRow>({
  name: 'people',
  columns: {
    ...{ workspace_id: 'uuid', id: 'uuid', email: 'text?', phone: 'text?', first_name: 'text?', last_name: 'text?', timezone: 'text?' },
    ...{ locale: 'text?', notes: 'text?', tier: 'text?', email_consent: 'text', sms_consent: 'text', push_consent: 'text' },
    ...{ created_at: 'timestamptz', updated_at: 'timestamptz' },
  },
  key: ['workspace_id', 'id'],
  indices: [
    { name: 'created', on: 'workspace_id, created_at, id' },
    { name: 'updated', on: 'workspace_id, updated_at, id' },
    { name: 'email', on: 'workspace_id, email, id' },
    { name: 'last_name', on: 'workspace_id, lower(last_name collate "default"), id' },
  ],
})
const projection = defineProjection({ name: 'people', version: 1, tables: [people], reads: () => [], on: {} })

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await transaction(database.pool, (tx) => createProjection(tx, projection))
})
afterAll(() => database.drop())

type PlanNode = Readonly<{ 'Relation Name'?: string; 'Index Name'?: string; 'Index Cond'?: string; Plans?: readonly PlanNode[] }>

const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** How the people are found by a plan that is made now and kept. */
const lookUpBy = async (column: string, type: string): Promise<PlanNode | undefined> => {
  const { rows } = await database.pool.query<{ 'QUERY PLAN': readonly Readonly<{ Plan: PlanNode }>[] }>(
    `explain (generic_plan, format json) select p.id from unnest($1::uuid[], $2::${type}[]) k (workspace_id, value)
     join read.people p on p.workspace_id = k.workspace_id and p.${column} = k.value`,
  )
  return nodesOf(rows[0]!['QUERY PLAN'][0]!.Plan).find((node) => node['Relation Name'] === 'people')
}

const knownWorkspaces = async (): Promise<number | undefined> => {
  const text = `select n_distinct from pg_stats where schemaname = 'read' and tablename = 'people' and attname = 'workspace_id'`
  return (await database.pool.query<{ n_distinct: number }>(text)).rows[0]?.n_distinct
}

test('a plan that is made while a table is empty finds a row by the index that leads to it', async () => {
  expect(await lookUpBy('email', 'text')).toMatchObject({ 'Index Name': 'people_email', 'Index Cond': expect.stringContaining('email') })
  expect(await lookUpBy('id', 'uuid')).toMatchObject({ 'Index Name': 'people_pkey', 'Index Cond': expect.stringContaining('id = k.value') })
})

test('statistics of the rows that are there stay when the service starts again', async () => {
  const workspace = randomUUID()
  await database.pool.query(
    `insert into read.people (workspace_id, id, email, email_consent, sms_consent, push_consent, created_at, updated_at, last_commit, last_prepare)
     select $1::uuid, gen_random_uuid(), n || '@example.com', 'none', 'none', 'none', now(), now(), n, n from generate_series(1, 300) n`,
    [workspace],
  )
  await database.pool.query('analyze read.people')
  const before = await knownWorkspaces()
  await transaction(database.pool, (tx) => createProjection(tx, projection))
  expect([before, await knownWorkspaces()]).toEqual([1, 1])
})
