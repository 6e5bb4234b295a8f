import { createBatchLoader } from '@tidings/async'
import type { Recorded } from '@tidings/codec'
import {
  type CompiledRule,
  compileRule,
  EVERY_FACT,
  type ListId,
  type ListRuleChanged,
  type Rule,
  sameJson,
  type WorkspaceId,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { LRUCache } from 'lru-cache'
import type { ClientBase, Pool } from 'pg'

/** The begin of a rule: its position in the log, and milliseconds since 1970. */
export type RuleSince = Readonly<{ position: Position; at: number }>

/** `since`: null where a process of an older build wrote the version. `earlier`: the rules of the last hour before it, newest first. */
export type ListRule = Readonly<{
  listId: ListId
  version: number
  compiled: CompiledRule
  since: RuleSince | null
  earlier: readonly Readonly<{ compiled: CompiledRule; since: RuleSince }>[]
}>

/** Selects rules: those of these lists, or all whose answers change with time. */
export type RulesWanted = Readonly<{ workspaceId: WorkspaceId; lists: readonly string[] | 'timed' }>

/** A rule takes about 2 KB. */
const MAX_COMPILED = 2_000

/** A rule that was replaced. `replacedAt`: milliseconds since 1970. */
type EarlierRule = Readonly<{ rule: Rule; commit: string; prepare: string; at: number; replacedAt: number }>

/** A rule that comes back this soon counts as never changed: its members have matched all along, and who came meanwhile came by the facts (M55). */
const RESTORED_MS = 60 * 60_000
const MAX_EARLIER = 4

/** Writes the rule in force, in the transaction that begins its run. An older version than the known one changes nothing. */
export async function putRule(tx: ClientBase, { data, meta, position }: Recorded<ListRuleChanged>): Promise<void> {
  const { listId, version, rule } = data
  const { workspaceId } = meta
  const { reads, isTimed } = compileRule(rule)
  const at = Date.parse(meta.at)
  const earlier = await earlierRules(tx, { workspaceId, listId, at })
  const restored = earlier.find((one) => sameJson(one.rule, rule) && at - one.replacedAt <= RESTORED_MS)
  const since = restored ?? { commit: `${position.commit}`, prepare: `${position.prepare}`, at }
  const { rowCount } = await tx.query(
    `insert into lists.rule (workspace_id, list_id, version, rule, is_timed, since_version, since_commit, since_prepare, since_at, earlier)
     values ($1, $2, $3, $4, $5, $3, $6, $7, to_timestamp($8::float8 / 1000.0), $9)
     on conflict (workspace_id, list_id) do update set version = excluded.version, rule = excluded.rule, is_timed = excluded.is_timed,
       since_version = excluded.since_version, since_commit = excluded.since_commit, since_prepare = excluded.since_prepare,
       since_at = excluded.since_at, earlier = excluded.earlier
     where lists.rule.version < excluded.version`,
    [workspaceId, listId, version, JSON.stringify(rule), isTimed, since.commit, since.prepare, since.at, JSON.stringify(earlier)],
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

/** The earlier rules with the one in force, which is replaced at `at`; newest first. */
const earlierRules = async (
  tx: ClientBase,
  { workspaceId, listId, at }: Readonly<{ workspaceId: WorkspaceId; listId: ListId; at: number }>,
): Promise<readonly EarlierRule[]> => {
  const { rows } = await tx.query<Omit<EarlierRule, 'replacedAt'> & Readonly<{ earlier: readonly EarlierRule[] }>>(
    `select rule, since_commit::text as commit, since_prepare::text as prepare, extract(epoch from since_at)::float8 * 1000 as at, earlier
     from lists.rule where workspace_id = $1 and list_id = $2 and since_version = version for update`,
    [workspaceId, listId],
  )
  const [known] = rows
  if (known === undefined) return []
  const { earlier, ...inForce } = known
  return [{ ...inForce, replacedAt: at }, ...earlier].filter(({ replacedAt }) => at - replacedAt <= RESTORED_MS).slice(0, MAX_EARLIER)
}

export type ChangedFact = Readonly<{ workspaceId: WorkspaceId; fact: string }>

/** The lists of each workspace whose rules read these facts: lists by `<workspace>/<fact>`. */
export async function listsReading(
  db: ClientBase | Pool,
  changed: readonly ChangedFact[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (changed.length === 0) return new Map()
  const { rows } = await db.query<{ workspace_id: WorkspaceId; fact: string; list_id: ListId }>({
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

type ListRuleRow = Readonly<{
  workspace_id: WorkspaceId
  list_id: ListId
  version: number
  rule: Rule
  is_timed: boolean
  since_commit: bigint | null
  since_prepare: bigint | null
  since_at: Date | null
  earlier: readonly EarlierRule[]
}>

type Compiled = Readonly<{ compiled: CompiledRule; earlier: readonly Readonly<{ compiled: CompiledRule; since: RuleSince }>[] }>

const compiledOf = ({ rule, earlier }: ListRuleRow): Compiled => ({
  compiled: compileRule(rule),
  earlier: earlier.map((one) => ({
    compiled: compileRule(one.rule),
    since: { position: { commit: BigInt(one.commit), prepare: BigInt(one.prepare) }, at: one.at },
  })),
})

const sinceOf = ({ since_commit: commit, since_prepare: prepare, since_at: at }: ListRuleRow): RuleSince | null =>
  commit === null || prepare === null || at === null ? null : { position: { commit, prepare }, at: at.getTime() }

/** The rules in force when it is called. A version is compiled once. */
export function createRuleTable(pool: Pool): (wanted: RulesWanted) => Promise<readonly ListRule[]> {
  const compiled = new LRUCache<string, Compiled>({ max: MAX_COMPILED })
  const toRule = (row: ListRuleRow): ListRule => {
    const { list_id: listId, version } = row
    const key = `${listId}/${version}`
    const known = compiled.get(key) ?? compiledOf(row)
    compiled.set(key, known)
    return { listId, version, ...known, since: sinceOf(row) }
  }
  const ofWorkspace = createBatchLoader({
    load: async (workspaceIds: readonly WorkspaceId[]) => {
      const { rows } = await pool.query<ListRuleRow>({
        name: 'lists-rules',
        text: `select workspace_id, list_id, version, rule, is_timed, case when since_version = version then since_commit end as since_commit,
                 since_prepare, since_at, earlier from lists.rule where workspace_id = any ($1::uuid[])`,
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
