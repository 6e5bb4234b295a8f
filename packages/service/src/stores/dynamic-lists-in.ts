import type { Pool } from 'pg'

/** The dynamic lists of a workspace whose rules are in force, by id: as of the consumer that keeps their members. */
export function dynamicListsIn(pool: Pool): (workspaceId: string) => Promise<readonly string[]> {
  return async (workspaceId) => {
    const { rows } = await pool.query<{ list_id: string }>('select list_id from lists.rule where workspace_id = $1', [workspaceId])
    return rows.map(({ list_id }) => list_id)
  }
}
