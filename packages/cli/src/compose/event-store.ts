import type { EventStore } from '@tidings/event-store'
import type { ReadinessCheck } from '@tidings/http'
import type { Pool } from 'pg'
import { OperationFailed } from '../terminal/answer.ts'
import { openEventStoreDb } from './eventstoredb.ts'
import type { Opening } from './pools.ts'

/** The log as it is stored. `ready` names what a process waits for when the log lies outside its database. */
export type OpenedStore = Readonly<{ store: EventStore; ready: Readonly<Record<string, ReadinessCheck>> }>

/** What the database says of the log: whether it holds one itself, and how far its tables have seen whichever they follow. */
type Kept = Readonly<{ log: boolean; seen: bigint }>

const whatIsKept = async (pool: Pool): Promise<Kept> => {
  const { rows } = await pool.query<Kept>(
    `select exists (select 1 from es.event) as log, coalesce((select max(position_commit) from ops.projection_checkpoint), 0) as seen`,
  )
  return rows[0] ?? { log: false, seen: 0n }
}

/**
 * Opens the configured log. A setting that cannot be used is one sentence, and so is a log that is not the one this database was made
 * from: positions of one log mean nothing in another. An EventStoreDB that does not answer ends a command, and a service waits for it.
 */
export const openEventStore = async (opening: Opening, pool: Pool): Promise<OpenedStore> => {
  const { eventStore } = opening.config.storage
  const { log, seen } = await whatIsKept(pool)
  if (eventStore !== 'postgres') {
    const advice = 'unset TIDINGS_EVENT_STORE, or begin with an empty database'
    if (log) throw new OperationFailed(`The log of this installation is in its database: ${advice}.`)
    return await openEventStoreDb(opening, { connectionString: eventStore, seen })
  }
  if (!log && seen > 0n)
    throw new OperationFailed('The tables of this database follow a log outside of it: set TIDINGS_EVENT_STORE to where that is.')
  const { postgresEventStore } = await import('@tidings/event-store/postgres')
  return { store: postgresEventStore({ pool, log: opening.log }), ready: {} }
}
