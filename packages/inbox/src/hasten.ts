import { transaction } from '@tidings/postgres'
import type { Pool } from 'pg'

/** Lets the first attempts of a workspace that were put off go on now. Their order stays: only the head of a lane is ever put off. */
export const hasten = (pool: Pool, kind: string, workspaceId: string): Promise<void> =>
  transaction(pool, async (tx) => {
    await tx.query('select inbox.lock_kind($1)', [kind])
    await tx.query(
      `update inbox.job set due_at = clock_timestamp()
       where kind = $1 and workspace_id = $2 and due_at > clock_timestamp() and token is null and attempt = 0`,
      [kind, workspaceId],
    )
  })
