import { OperationFailed } from '@tidings/config'
import type { EventStore } from '@tidings/event-store'
import type { ReadinessCheck } from '@tidings/http'
import type { Pool } from 'pg'
import { openEventStoreDb } from './eventstoredb.ts'
import { readSeen } from './log-mark.ts'
import type { Opening } from './pools.ts'

/** The log as it is stored. `ready` says whether it can be asked and is the one that was seen. */
export type OpenedStore = Readonly<{ store: EventStore; ready: Readonly<Record<string, ReadinessCheck>> }>

const holdsLog = async (pool: Pool): Promise<boolean> => {
  const { rows } = await pool.query<{ log: boolean }>('select exists (select 1 from es.event) as log')
  return rows[0]?.log === true
}

/**
 * Opens the configured log. A setting that cannot be used is one sentence, and so is a log in another place than the one this database was
 * made from: positions of one log mean nothing in another. A log that does not answer, or does not hold what this database has seen of it,
 * ends a command; a service waits for it, reads and writes nothing there, and is not ready.
 */
export const openEventStore = async (opening: Opening, pool: Pool): Promise<OpenedStore> => {
  const { eventStore } = opening.config.storage
  const [log, seen] = [await holdsLog(pool), await readSeen(pool)]
  if (eventStore !== 'postgres') {
    const advice = 'unset TIDINGS_EVENT_STORE, or begin with an empty database'
    if (log) throw new OperationFailed(`The log of this installation is in its database: ${advice}.`)
    return await openEventStoreDb(opening, { connectionString: eventStore, seen, pool })
  }
  if (!log && seen.position.commit > 0n)
    throw new OperationFailed('The tables of this database follow a log outside of it: set TIDINGS_EVENT_STORE to where that is.')
  const { postgresEventStore } = await import('@tidings/event-store/postgres')
  // A command may be the one that mends tables which are ahead of the log.
  const store = postgresEventStore({ pool, log: opening.log, ...(opening.mode === 'service' && { seen }) })
  return { store, ready: { 'event store': async () => void (await store.head()) } }
}
