import type { ListId, WorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { type ReadModels, workspacesWithSender } from '@tidings/read-models'
import { DatabaseError, type Pool } from 'pg'

/** The dynamic lists of a workspace whose rules are in force, by id: as of the consumer that keeps their members. */
export function dynamicListsIn(pool: Pool): (workspaceId: WorkspaceId) => Promise<readonly string[]> {
  return async (workspaceId) => {
    const { rows } = await pool.query<{ list_id: ListId }>('select list_id from lists.rule where workspace_id = $1', [workspaceId])
    return rows.map(({ list_id }) => list_id)
  }
}

/** The newest version of a rule that has reached every contact, by list. */
export async function rulesComputed(pool: Pool, workspaceId: WorkspaceId): Promise<ReadonlyMap<string, number>> {
  const sql = 'select list_id, version from lists.run where workspace_id = $1 and finished_at is not null'
  const { rows } = await pool.query<{ list_id: ListId; version: number }>(sql, [workspaceId])
  return new Map(rows.map(({ list_id, version }) => [list_id, version]))
}

/** SQLSTATE of a statement about a table that is not there. */
const UNDEFINED_TABLE = '42P01'

/**
 * The workspaces that have one of these sender IDs: as of the read side, which may be a moment behind. None before a projector has made its tables,
 * as where the first file is applied while a new installation starts.
 */
export function workspacesWithSenderIn(pool: Pool): (senderIds: readonly string[]) => Promise<readonly WorkspaceId[]> {
  const db = kyselyOn<ReadModels>(pool)
  return async (senderIds) => {
    try {
      return await workspacesWithSender(db, senderIds)
    } catch (error) {
      if (error instanceof DatabaseError && error.code === UNDEFINED_TABLE) return []
      throw error
    }
  }
}
