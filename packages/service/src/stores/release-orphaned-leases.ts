import { setTimeout as sleep } from 'node:timers/promises'
import { releaseGroups } from '@tidings/bus'
import { mailboxLeases, releaseAllCampaigns, releaseAllQueues, taskLeases } from '@tidings/consumers'
import { releaseIdempotencyKeys } from '@tidings/http'
import { releaseClaims } from '@tidings/jobs'
import { releaseLeases } from '@tidings/projections'
import type { Pool } from 'pg'
import { WORK } from './work.ts'

const MAX_CHECKS = 20
const CHECK_INTERVAL_MS = 50

/** Each ends the leases of one kind and returns how many there were. */
const RELEASES: readonly ((pool: Pool) => Promise<number>)[] = [
  releaseLeases,
  releaseGroups,
  releaseIdempotencyKeys,
  releaseClaims,
  releaseAllQueues,
  releaseAllCampaigns,
  mailboxLeases.releaseAll,
  taskLeases.releaseAll,
]

/**
 * Ends the leases of a process that is gone (projections, consumer groups, the relay, idempotency keys, jobs, webhook queues, campaigns, the mailbox of
 * bounces, tasks as the sweep of wallets), so that this one need not wait until they expire; returns how many. Only for the embedded database, while no other process serves its data directory
 * and before this one takes work: no lease has a live owner then. On any other database a closed connection proves nothing, because its
 * process may still run, cut off from the database; there leases only expire.
 */
export async function releaseOrphanedLeases(pool: Pool): Promise<number> {
  for (let check = 0; check < MAX_CHECKS; check++) {
    if (!(await hasWorkConnections(pool))) return await releaseAll(pool)
    // The server notices the connections of a killed process only after a moment.
    await sleep(CHECK_INTERVAL_MS)
  }
  return 0
}

const releaseAll = async (pool: Pool): Promise<number> => {
  let released = 0
  for (const release of RELEASES) released += await release(pool)
  return released
}

const hasWorkConnections = async (pool: Pool): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `select 1 from pg_stat_activity where datname = current_database() and application_name = $1 and pid <> pg_backend_pid() limit 1`,
    [WORK],
  )
  return rowCount !== 0
}
