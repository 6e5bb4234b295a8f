import { OperationFailed } from '@tidings/config'
import type { Pool } from 'pg'
import type { Mode } from './connect-database.ts'
import { readLastSeen } from './log-mark.ts'
import { logTakesWrites } from './log-takes-writes.ts'
import { type OpenedStore, openEventStoreDb } from './open-eventstoredb.ts'
import type { Opening } from './open-pools.ts'

const SERVES_ALL: ReadonlySet<Mode> = new Set(['service', 'worker'])

const hasLog = async (pool: Pool): Promise<boolean> => {
  const { rows } = await pool.query<{ log: boolean }>('select exists (select 1 from es.event) as log')
  return rows[0]?.log === true
}

/**
 * Opens the configured log. Throws one sentence for a setting that cannot be used, and for a log in another place than the one that the
 * tables of this database were built from: positions of one log mean nothing in another. A log that does not answer, or lacks events that
 * this database has seen, ends a command; a service waits for it, reads and writes nothing there, and is not ready.
 */
export async function openEventStore(opening: Opening, pool: Pool): Promise<OpenedStore> {
  const { eventStore } = opening.config.storage
  const [log, seen] = [await hasLog(pool), await readLastSeen(pool)]
  if (eventStore !== 'postgres') {
    const advice = 'unset TIDINGS_EVENT_STORE, or begin with an empty database'
    if (log) throw new OperationFailed(`The log of this installation is in its database: ${advice}.`)
    return await openEventStoreDb(opening, { connectionString: eventStore, seen, pool })
  }
  if (!log && seen.position.commit > 0n)
    throw new OperationFailed('The tables of this database follow a log outside of it: set TIDINGS_EVENT_STORE to where that is.')
  const { postgresEventStore } = await import('@tidings/event-store/postgres')
  // Commands open it unchecked: one of them may repair tables that are ahead of the log.
  const store = postgresEventStore({ pool, log: opening.log, ...(SERVES_ALL.has(opening.mode) && { seen }) })
  return { store, ready: { 'event store': async () => void (await store.head()), 'event log writes': logTakesWrites(pool) } }
}
