import { setTimeout as sleep } from 'node:timers/promises'
import { releaseGroups } from '@tidings/bus'
import { releaseAllQueues } from '@tidings/consumers'
import { releaseIdempotencyKeys } from '@tidings/http'
import { releaseClaims } from '@tidings/inbox'
import { releaseLeases } from '@tidings/projections'
import type { Pool } from 'pg'

/** What processes call the connections that they work with. */
export const WORK = 'tidings-work'

const LOOKS = 20
const LOOK_MS = 50

/** Each ends the leases of one kind, and answers how many there were. */
const RELEASES: readonly ((pool: Pool) => Promise<number>)[] = [
  releaseLeases,
  releaseGroups,
  releaseIdempotencyKeys,
  releaseClaims,
  releaseAllQueues,
]

/**
 * Ends the leases of a killed process (projections, consumer groups, the relay, idempotency keys, jobs, webhook queues), which the next
 * process would have to wait for otherwise; answers how many. Only for the embedded database, while no other process serves its data
 * directory and before this one works: whoever served it before is dead then, and no working connection of anybody is left. On any other
 * database a connection that is gone proves nothing: its process may live, cut off, in the middle of a call. There the leases decide.
 */
export const releaseClaimsOfTheDead = async (pool: Pool): Promise<number> => {
  for (let look = 0; look < LOOKS; look++) {
    if (!(await somebodyWorks(pool))) return await releaseAll(pool)
    // Of a process that was killed a moment ago: the server has not noticed yet.
    await sleep(LOOK_MS)
  }
  return 0
}

const releaseAll = async (pool: Pool): Promise<number> => {
  let released = 0
  for (const release of RELEASES) released += await release(pool)
  return released
}

const somebodyWorks = async (pool: Pool): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `select 1 from pg_stat_activity where datname = current_database() and application_name = $1 and pid <> pg_backend_pid() limit 1`,
    [WORK],
  )
  return rowCount !== 0
}
