import { followDatabaseClock } from '@tidings/async/clock'
import type { Config } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import { createPool, transaction } from '@tidings/postgres'
import type { Pool } from 'pg'
import { connectDatabase, connectTimeoutOf, type Database, type Mode } from './connect-database.ts'
import { warnOfTooFewConnections, watchConnections } from './connections-left.ts'
import { assertSchemaVersion, migrateSchema } from './schema-version.ts'
import { WORK } from './work.ts'

/** The connections of one process. `close` ends them, and the server where this process owns it. */
export type Pools = Readonly<{
  /** The database, for connections that are not of these pools. */
  url: string
  pool: Pool
  /** The pool of long work (projections, lanes): it never takes a connection from a request. */
  workPool: Pool
  /** Whether another process serves the same data directory; null where that cannot be known. */
  others: Database['others']
  serverFault: Database['serverFault']
  close: () => Promise<void>
}>

export type Opening = Readonly<{ config: Config; log: Log; mode: Mode }>

const SAME_OUTAGE_MS = 1_000

const START_LOCK = 7_305_118_242

/**
 * Only where no other process serves the data directory. A process that joins becomes a member first and then waits for this lock before it
 * takes work: either `others` counts it, or it takes nothing until the leases are released.
 */
const releaseLeasesOfPreviousProcess = async (pool: Pool, others: () => Promise<boolean>, log: Log): Promise<void> => {
  // Loaded here alone: it knows everything that works in the background, and a command needs none of it.
  const { releaseOrphanedLeases } = await import('./release-orphaned-leases.ts')
  const released = await transaction(pool, async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [START_LOCK])
    return (await others()) ? 0 : await releaseOrphanedLeases(pool)
  })
  if (released > 0) log.info({ released }, 'leases of the previous process were released: its work goes on at once')
}

/** Connects to the configured database, or starts the embedded one; its schema is up to date when this resolves. */
export async function openPools(opening: Opening): Promise<Pools> {
  const { config, log, mode } = opening
  const database = await connectDatabase(config, log, mode)
  const { close, ...pools } = poolsOn(database, opening)
  const { pool, workPool } = pools
  try {
    if (database.embedded && mode !== 'worker') await migrateSchema(pool, log)
    if (!database.embedded && mode !== 'command') await warnOfTooFewConnections({ pool, poolSize: config.storage.poolSize, log })
    await assertSchemaVersion(pool, log)
    if (database.others !== null && (mode === 'service' || mode === 'roles'))
      await releaseLeasesOfPreviousProcess(pool, database.others, log)
    const clock = await followDatabaseClock(workPool)
    // The supervisor of several processes looks for all of them.
    const looksForAll = !database.embedded && (mode === 'service' || mode === 'roles')
    const connections = looksForAll ? watchConnections({ pool: workPool, poolSize: config.storage.poolSize, log }) : null
    const closeAll = async () => {
      connections?.stop()
      clock.stop()
      await close()
    }
    return { ...pools, close: closeAll }
  } catch (error) {
    await close()
    throw error
  }
}

/** The pools of a database, which is asked nothing yet. */
export function poolsOn({ url, others, serverFault, close: closeDatabase }: Database, { config, log, mode }: Opening): Pools {
  let closing = false
  // A pool's end does not wait for its sockets: a server that stops right afterwards still sends errors to some.
  let reportedAt = Number.NEGATIVE_INFINITY
  const onIdleError = (error: Error) => {
    // A server that goes away closes all of them: that is one line.
    if (closing || performance.now() - reportedAt < SAME_OUTAGE_MS) return
    reportedAt = performance.now()
    log.warn({ err: error }, 'idle database connections were closed')
  }
  const settings = { url, max: config.storage.poolSize, onIdleError, timeoutMs: connectTimeoutOf(config, mode) }
  const pool = createPool({ ...settings, name: 'tidings' })
  const workPool = createPool({ ...settings, name: WORK })
  const close = async () => {
    closing = true
    await Promise.all([pool.end(), workPool.end()])
    await closeDatabase()
  }
  return { url, pool, workPool, others, serverFault, close }
}
