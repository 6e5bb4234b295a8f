import type { EditedList } from '@tidings/contracts'
import { type ListEvent, type ListId, type ListState, list, listStream, type Rule, RuleMistake, type WorkspaceId } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'
import { ruleOfFile } from '@tidings/provisioning/workspace-file'
import { forWorkspace } from '@tidings/read-models'
import type { Pool } from 'pg'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { lastChange } from '../editing/last-change.ts'
import type { VersionedRecord } from '../editing/versions.ts'

type OfList = Readonly<{ workspaceId: WorkspaceId; listId: ListId }>

/** A list has a stream of its own; its members are in others. */
export function editableList({ workspaceId, listId }: OfList) {
  return {
    decider: list,
    stream: listStream(workspaceId, listId),
    recordIn: (state: ListState) => state,
    notFound: 'list_not_found',
  } as const
}

/** The versions are those of the rule: a list is created before its rule, and nothing else of it changes. */
export function listVersions({ workspaceId, listId }: OfList): VersionedRecord<ListEvent, 'created' | 'changed', Rule> {
  return {
    stream: listStream(workspaceId, listId),
    first: 0,
    describe: (event, version) => ({
      what: version > 1 ? 'changed' : 'created',
      restoredFrom: event.type === 'ListRuleChanged' ? event.data.restoredFrom : undefined,
      content: event.type === 'ListRuleChanged' ? event.data.rule : null,
    }),
  }
}

/** The rule as a workspace file would store it; its mistake is the sentence of the refusal. */
export function askedRule(input: unknown): Rule {
  try {
    return ruleOfFile(input)
  } catch (error) {
    throw error instanceof RuleMistake ? invalidRequest(error.message) : error
  }
}

/** The list as of the log, and how far its rule is. */
export async function editedList(deps: Pick<DashboardDependencies, 'commands' | 'db' | 'log' | 'pool'>, of: OfList): Promise<EditedList> {
  const editable = editableList(of)
  const { workspaceId, listId } = of
  const { record, etag } = await readRecord(deps, workspaceId, editable)
  const [change, members, run] = await Promise.all([
    lastChange(deps, workspaceId, editable),
    forWorkspace(deps.db, workspaceId).listTotal(listId),
    ruleRun(deps.pool, of),
  ])
  return {
    ...{ id: listId, name: record.name, type: record.listType, rule: record.rule && { ...record.rule.rule }, members, run },
    ...{ version: record.rule?.version ?? 0, changedAt: change?.at ?? '', changedBy: change?.by ?? '', etag },
  }
}

type RunRow = Readonly<{
  version: number
  contacts: bigint
  changes: bigint
  started_at: Date
  finished_at: Date | null
  is_timed: boolean
}>

/** As of the consumer that keeps the members: a rule that was just saved may not have reached it. */
const ruleRun = async (pool: Pool, { workspaceId, listId }: OfList): Promise<EditedList['run']> => {
  const { rows } = await pool.query<RunRow>(
    `select run.version, run.contacts, run.changes, run.started_at, run.finished_at, rule.is_timed
     from lists.run join lists.rule using (workspace_id, list_id) where run.workspace_id = $1 and run.list_id = $2`,
    [workspaceId, listId],
  )
  const [run] = rows
  if (run === undefined) return null
  return {
    ...{ version: run.version, contacts: Number(run.contacts), changes: Number(run.changes), isTimed: run.is_timed },
    ...{ startedAt: run.started_at.toISOString(), finishedAt: run.finished_at?.toISOString() ?? null },
  }
}
