import { createEventLog, type EventLog, type KeyRing, openKeyRing, upcasters, WrongMasterKey } from '@tidings/codec'
import { assertMasterKey, type Config, ensureSecrets } from '@tidings/config'
import { eventDeclarations } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import type { Log } from '@tidings/log'
import type { Pool } from 'pg'
import { OperationFailed } from '../terminal/answer.ts'
import { type Opening, openPools, type Pools } from './pools.ts'

/** What every command of the CLI stands on, and every role that needs more than the read models. `close` ends it in the order that loses nothing. */
export type Stores = Pools &
  Readonly<{
    log: EventLog
    /** The log as it is stored, personal data sealed: what goes on to Kafka. */
    store: EventStore
    keyRing: KeyRing
    /** What derives the keys of tokens and sealed answers; 64 hex digits or base64. */
    masterKey: string
  }>

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

/** Connects to everything that is configured, starting the embedded Postgres where it is ours to start. One sentence when something is missing. */
export const openStores = async (opening: Opening): Promise<Stores> => {
  const { config, log } = opening
  assertMasterKey(config)
  const pools = await openPools(opening)
  const { pool } = pools
  try {
    const masterKey = config.secrets.masterKey ?? (await ensureSecrets(config.storage.dataDir)).masterKey
    const keyRing = await openKeyRing({ pool, masterKey, previousMasterKeys: config.secrets.previousMasterKeys })
    const store = await openEventStore(config, pool, log)
    const eventLog = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
    const close = async () => {
      await eventLog.close()
      await pools.close()
    }
    return { ...pools, log: eventLog, store, keyRing, masterKey, close }
  } catch (error) {
    await pools.close()
    throw error instanceof WrongMasterKey ? new OperationFailed(error.message, { cause: error }) : error
  }
}
