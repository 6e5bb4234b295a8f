import type { Pool } from 'pg'

/** A whole proof is in memory while it is made; more events than these are for the command line. */
export const MOST_EVENTS = 5_000

/** The people with a consent are found in the whole log, which all workspaces share. */
export const LONGEST_LOG = 500_000

/** Whether the log is too long for the proof of all people of a workspace, as far as its tree is grown. */
export async function isLogTooLong(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query('select from proof.tree where size > $1', [LONGEST_LOG])
  return rowCount === 1
}
