import { type EventStore, type Position, Unavailable } from '@tidings/event-store'
import type { ReadinessCheck } from '@tidings/http'
import { OperationFailed } from '../terminal/answer.ts'
import type { OpenedStore } from './event-store.ts'
import type { Opening } from './pools.ts'

type EventStoreDb = typeof import('@tidings/event-store/eventstoredb')

/** `seen`: how far the tables of this database have seen the log. */
type Wanted = Readonly<{ connectionString: string; seen: bigint }>

const PROBE = { read: { silenceMs: 2_000, deadlineMs: 3_000 } }
const READY_MS = 1_000

/** What is read from tables is served while a service waits for its EventStoreDB. */
export const openEventStoreDb = async ({ log, mode }: Opening, { connectionString, seen }: Wanted): Promise<OpenedStore> => {
  // Only what is configured is loaded: this client alone would cost the default start 30 MB.
  const eventStoreDb = await import('@tidings/event-store/eventstoredb')
  const { store, servers } = connect(eventStoreDb, { connectionString, log })
  try {
    const head = await probe(eventStoreDb, connectionString)
    if (head instanceof Unavailable) {
      const sentence = `The event store ${servers} does not answer (${head.message})`
      if (mode === 'command') throw new OperationFailed(`${sentence}: start it, or correct TIDINGS_EVENT_STORE.`)
      log.warn(`${sentence}: Tidings waits for it. Start it, or correct TIDINGS_EVENT_STORE.`)
    } else if (head.commit < seen) {
      const reason = 'ends before what this database has seen of it, so it is another one or has lost events'
      throw new OperationFailed(`The event store ${servers} ${reason}: correct TIDINGS_EVENT_STORE, or restore both together.`)
    }
    return { store, ready: { 'event store': answers(store, servers) } }
  } catch (error) {
    await store.close()
    throw error
  }
}

type Settings = Parameters<EventStoreDb['eventStoreDbStore']>[0]

const connect = (eventStoreDb: EventStoreDb, settings: Settings): Readonly<{ store: EventStore; servers: string }> => {
  try {
    const { servers } = eventStoreDb.parseConnectionString(settings.connectionString)
    return { store: eventStoreDb.eventStoreDbStore(settings), servers }
  } catch (error) {
    if (!(error instanceof eventStoreDb.InvalidConnectionString)) throw error
    throw new OperationFailed(`TIDINGS_EVENT_STORE cannot be used: ${error.message}.`)
  }
}

/** Where the store's log ends, or why it cannot be asked. Over a connection of its own, whose patience is shorter. */
const probe = async ({ eventStoreDbStore }: EventStoreDb, connectionString: string): Promise<Position | Unavailable> => {
  const store = eventStoreDbStore({ connectionString, times: PROBE })
  try {
    return await store.head()
  } catch (error) {
    if (error instanceof Unavailable) return error
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
