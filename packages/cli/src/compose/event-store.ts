import { type EventStore, Unavailable } from '@tidings/event-store'
import type { ReadinessCheck } from '@tidings/http'
import type { Log } from '@tidings/log'
import type { Pool } from 'pg'
import { OperationFailed } from '../terminal/answer.ts'
import type { Opening } from './pools.ts'

/** The log as it is stored. `ready` names what a process waits for when the log lies outside its database. */
export type OpenedStore = Readonly<{ store: EventStore; ready: Readonly<Record<string, ReadinessCheck>> }>

type EventStoreDb = typeof import('@tidings/event-store/eventstoredb')

const PROBE = { read: { silenceMs: 2_000, deadlineMs: 3_000 } }
const READY_MS = 1_000

/**
 * Opens the configured log. A setting that cannot be used is one sentence. An EventStoreDB that does not answer ends a command, and a
 * service waits for it: what is read from tables is served meanwhile.
 */
export const openEventStore = async ({ config, log, mode }: Opening, pool: Pool): Promise<OpenedStore> => {
  const { eventStore } = config.storage
  if (eventStore === 'postgres') {
    const { postgresEventStore } = await import('@tidings/event-store/postgres')
    return { store: postgresEventStore({ pool, log }), ready: {} }
  }
  // Only what is configured is loaded: this client alone would cost the default start 30 MB.
  const eventStoreDb = await import('@tidings/event-store/eventstoredb')
  const { store, servers } = connect(eventStoreDb, eventStore, log)
  const silence = await probe(eventStoreDb, eventStore)
  if (silence !== null) {
    const sentence = `The event store ${servers} does not answer (${silence})`
    if (mode === 'command') {
      await store.close()
      throw new OperationFailed(`${sentence}: start it, or correct TIDINGS_EVENT_STORE.`)
    }
    log.warn(`${sentence}: Tidings waits for it. Start it, or correct TIDINGS_EVENT_STORE.`)
  }
  return { store, ready: { 'event store': answers(store, servers) } }
}

const connect = (eventStoreDb: EventStoreDb, connectionString: string, log: Log): Readonly<{ store: EventStore; servers: string }> => {
  try {
    const { servers } = eventStoreDb.parseConnectionString(connectionString)
    return { store: eventStoreDb.eventStoreDbStore({ connectionString, log }), servers }
  } catch (error) {
    if (!(error instanceof eventStoreDb.InvalidConnectionString)) throw error
    throw new OperationFailed(`TIDINGS_EVENT_STORE cannot be used: ${error.message}.`)
  }
}

/** Why the store cannot be asked where its log ends; null when it can. Over a connection of its own, whose patience is shorter. */
const probe = async ({ eventStoreDbStore }: EventStoreDb, connectionString: string): Promise<string | null> => {
  const store = eventStoreDbStore({ connectionString, times: PROBE })
  try {
    await store.head()
    return null
  } catch (error) {
    if (error instanceof Unavailable) return error.message
    throw error
  } finally {
    await store.close()
  }
}

const answers = (store: EventStore, servers: string): ReadinessCheck => {
  return async () => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error(`EventStoreDB at ${servers} does not answer`)), READY_MS)
    try {
      await Promise.race([store.head(), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}
