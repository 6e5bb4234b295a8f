import { createEventLog, type EventLog, type KeyRing, openKeyRing, upcasters, WrongMasterKey } from '@tidings/codec'
import { type Config, ensureSecrets } from '@tidings/config'
import { eventDeclarations } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import type { Log } from '@tidings/log'
import { createPool, migrate } from '@tidings/postgres'
import type { Pool } from 'pg'
import { OperationFailed } from '../terminal/answer.ts'
import { connectDatabase } from './database.ts'

/** What every role and every command of the CLI stands on. `close` ends it in the order that loses nothing. */
export type Stores = Readonly<{
  pool: Pool
  /** For long work (projections, lanes), so that it never takes a connection from a request. */
  workPool: Pool
  log: EventLog
  keyRing: KeyRing
  /** What derives the keys of tokens and sealed answers; 64 hex digits or base64. */
  masterKey: string
  close: () => Promise<void>
}>

type Opening = Readonly<{ config: Config; log: Log; mode: 'service' | 'command' }>

/** Only what is configured is loaded: the EventStoreDB client alone would cost the default start 30 MB. */
const openEventStore = async (config: Config, pool: Pool, log: Log): Promise<EventStore> => {
  const { eventStore } = config.storage
  if (eventStore === 'postgres') {
    const { postgresEventStore } = await import('@tidings/event-store/postgres')
    return postgresEventStore({ pool, log })
  }
  const { eventStoreDbStore } = await import('@tidings/event-store/eventstoredb')
  return eventStoreDbStore({ connectionString: eventStore, log })
}

const assertMigrated = async (pool: Pool): Promise<void> => {
  const { rows } = await pool.query<{ ready: boolean }>(`select to_regclass('public.schema_migration') is not null as ready`)
  if (!rows[0]?.ready) throw new OperationFailed('The database has no Tidings schema yet: run `tidings migrate` once.')
}

/** Connects to everything that is configured, starting the embedded Postgres where it is ours to start. One sentence when something is missing. */
export const openStores = async ({ config, log, mode }: Opening): Promise<Stores> => {
  const database = await connectDatabase(config, log, mode)
  let closing = false
  // A pool's end does not wait for its sockets: a server that stops right afterwards still says goodbye to some.
  const onIdleError = (error: Error) => {
    if (!closing) log.warn({ err: error }, 'an idle database connection was closed')
  }
  const max = config.storage.poolSize
  const pool = createPool({ url: database.url, max, name: 'tidings', onIdleError })
  const workPool = createPool({ url: database.url, max, name: 'tidings-work', onIdleError })
  const closePools = async () => {
    closing = true
    await Promise.all([pool.end(), workPool.end()])
    await database.close()
  }
  try {
    if (database.embedded) await migrate(pool)
    else await assertMigrated(pool)
    const masterKey = config.secrets.masterKey ?? (await ensureSecrets(config.storage.dataDir)).masterKey
    const keyRing = await openKeyRing({ pool, masterKey, previousMasterKeys: config.secrets.previousMasterKeys })
    const store = await openEventStore(config, pool, log)
    const eventLog = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
    const close = async () => {
      await eventLog.close()
      await closePools()
    }
    return { pool, workPool, log: eventLog, keyRing, masterKey, close }
  } catch (error) {
    await closePools()
    throw error instanceof WrongMasterKey ? new OperationFailed(error.message, { cause: error }) : error
  }
}
