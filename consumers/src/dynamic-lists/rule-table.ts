import { createBatchLoader } from '@tidings/async'
import { type CompiledRule, compileRule, EVERY_FACT, type ListRuleChanged, type Rule } from '@tidings/domain'
import { LRUCache } from 'lru-cache'
import type { ClientBase, Pool } from 'pg'

export type ListRule = Readonly<{ listId: string; version: number; compiled: CompiledRule }>

/** Which rules: of these lists, or of all whose answers time changes. */
export type RulesWanted = Readonly<{ workspaceId: string; lists: readonly string[] | 'timed' }>

/** About 2 KB each. */
const MAX_COMPILED = 2_000

/** Writes the rule in force, in the transaction that begins its run. An older version than the known one changes nothing. */
export async function putRule(tx: ClientBase, workspaceId: string, { listId, version, rule }: ListRuleChanged['data']): Promise<void> {
  const { reads, isTimed } = compileRule(rule)
  const { rowCount } = await tx.query(
    `insert into lists.rule (workspace_id, list_id, version, rule, is_timed) values ($1, $2, $3, $4, $5)
     on conflict (workspace_id, list_id) do update set version = excluded.version, rule = excluded.rule, is_timed = excluded.is_timed
     where lists.rule.version < excluded.version`,
    [workspaceId, listId, version, JSON.stringify(rule), isTimed],
  )
  if (rowCount === 0) return
  await tx.query('delete from lists.rule_fact where workspace_id = $1 and list_id = $2', [workspaceId, listId])
  await tx.query('insert into lists.rule_fact (workspace_id, fact, list_id) select $1, unnest($2::text[]), $3', [
    workspaceId,
    [...reads, EVERY_FACT],
    listId,
  ])
  await tx.query(
    `insert into lists.run (workspace_id, list_id, version) values ($1, $2, $3)
     on conflict (workspace_id, list_id) do update
     set version = excluded.version, after = default, is_ready = false, contacts = 0, changes = 0,
         started_at = clock_timestamp(), touched_at = clock_timestamp(), finished_at = null`,
    [workspaceId, listId, version],
  )
}

export type ChangedFact = Readonly<{ workspaceId: string; fact: string }>

/** The lists of each workspace whose rules read these facts: lists by `<workspace>/<fact>`. */
export async function listsReading(
  db: ClientBase | Pool,
  changed: readonly ChangedFact[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (changed.length === 0) return new Map()
  const { rows } = await db.query<{ workspace_id: string; fact: string; list_id: string }>({
    name: 'lists-reading',
    text: `select f.workspace_id, f.fact, f.list_id
           from (select distinct * from unnest($1::uuid[], $2::text[])) c(workspace_id, fact)
           join lists.rule_fact f on f.workspace_id = c.workspace_id and f.fact = c.fact`,
    values: [changed.map(({ workspaceId }) => workspaceId), changed.map(({ fact }) => fact)],
  })
  const byFact = Map.groupBy(rows, (row) => factKey({ workspaceId: row.workspace_id, fact: row.fact }))
  return new Map([...byFact].map(([key, found]) => [key, found.map(({ list_id }) => list_id)]))
}

export function factKey({ workspaceId, fact }: ChangedFact): string {
  return `${workspaceId}/${fact}`
}

type Row = Readonly<{ workspace_id: string; list_id: string; version: number; rule: Rule; is_timed: boolean }>

/** The rules in force when it is called. A version is compiled once. */
export function createRuleTable(pool: Pool): (wanted: RulesWanted) => Promise<readonly ListRule[]> {
  const compiled = new LRUCache<string, CompiledRule>({ max: MAX_COMPILED })
  const toRule = ({ list_id: listId, version, rule }: Row): ListRule => {
    const key = `${listId}/${version}`
    const known = compiled.get(key) ?? compileRule(rule)
    compiled.set(key, known)
    return { listId, version, compiled: known }
  }
  const ofWorkspace = createBatchLoader({
    load: async (workspaceIds: readonly string[]) => {
      const { rows } = await pool.query<Row>({
        name: 'lists-rules',
        text: 'select workspace_id, list_id, version, rule, is_timed from lists.rule where workspace_id = any ($1::uuid[])',
        values: [workspaceIds],
      })
      return Map.groupBy(rows, ({ workspace_id }) => workspace_id)
    },
    pick: (found, workspaceId) => found.get(workspaceId) ?? [],
    maxKeys: 100,
  })
  return async ({ workspaceId, lists }) => {
    const rows = await ofWorkspace(workspaceId)
    return rows.filter(({ list_id, is_timed }) => (lists === 'timed' ? is_timed : lists.includes(list_id))).map(toRule)
  }
}
