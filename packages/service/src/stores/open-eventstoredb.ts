import { OperationFailed } from '@tidings/config'
import { type EventStore, LogWentBack, type SeenPosition, Unavailable } from '@tidings/event-store'
import { saveTraces } from '@tidings/event-store/event-traces'
import type { ReadinessCheck } from '@tidings/http'
import pTimeout from 'p-timeout'
import type { Pool } from 'pg'
import { startLogMark } from './log-mark.ts'
import type { Opening } from './open-pools.ts'

/** The log as it is stored. `ready` checks that it answers and holds the events that this database has seen. */
export type OpenedStore = Readonly<{ store: EventStore; ready: Readonly<Record<string, ReadinessCheck>> }>

type EventStoreDb = typeof import('@tidings/event-store/eventstoredb')

/** `seen`: how far the tables of this database have seen the log. */
type EventStoreDbSource = Readonly<{ connectionString: string; seen: SeenPosition; pool: Pool }>

const PROBE = { read: { silenceMs: 2_000, deadlineMs: 3_000 } }
const READY_MS = 1_000

/** Reads of tables are served while a service waits for its EventStoreDB. */
export async function openEventStoreDb(opening: Opening, { pool, ...wanted }: EventStoreDbSource): Promise<OpenedStore> {
  const { log, mode } = opening
  // A client is loaded only if it is configured: this one would cost the default start 30 MB.
  const eventStoreDb = await import('@tidings/event-store/eventstoredb')
  const { store, servers } = connect(eventStoreDb, { ...wanted, log })
  try {
    const { eventStoreDbStore, tlsHint } = eventStoreDb
    const trouble = await probe({ eventStoreDbStore, tlsHint }, wanted)
    if (trouble !== null) {
      const { said, advice } = sentencesOf(servers, trouble)
      if (mode === 'command') throw new OperationFailed(`${said}: ${advice}.`)
      log.warn(`${said}: Tidings waits for it, ${advice}.`)
    }
  } catch (error) {
    await store.close()
    throw error
  }
  const ready = { 'event store': answers(store, servers) }
  if (mode === 'command') return { store, ready }
  const onFault = (error: unknown): void => log.warn({ err: error }, 'the mark of the last event seen could not be written')
  const mark = startLogMark({ pool, lastSeen: store.lastSeen, confirm: store.confirm, onFault })
  const close = async (): Promise<void> => {
    await mark.stop()
    await store.close()
  }
  return { store: { ...withTracesBeside(store, pool), close }, ready }
}

type Trouble = Readonly<{ error: Unavailable; hint: string | null }>

const sentencesOf = (servers: string, { error, hint }: Trouble): Readonly<{ said: string; advice: string }> => {
  if (error instanceof LogWentBack) {
    const said = `The event store ${servers} does not hold what this database has seen of it, so it is another one or has lost events`
    return { said, advice: 'correct TIDINGS_EVENT_STORE, or restore both together' }
  }
  if (hint !== null) return { said: `The event store ${servers} cannot be used`, advice: hint }
  return { said: `The event store ${servers} does not answer (${error.message})`, advice: 'start it, or correct TIDINGS_EVENT_STORE' }
}

type Connected = Readonly<{ store: ReturnType<EventStoreDb['eventStoreDbStore']>; servers: string }>

const connect = (eventStoreDb: EventStoreDb, settings: Parameters<EventStoreDb['eventStoreDbStore']>[0]): Connected => {
  try {
    const { servers } = eventStoreDb.parseConnectionString(settings.connectionString)
    return { store: eventStoreDb.eventStoreDbStore(settings), servers }
  } catch (error) {
    if (!(error instanceof eventStoreDb.InvalidConnectionString)) throw error
    throw new OperationFailed(`TIDINGS_EVENT_STORE cannot be used: ${error.message}.`)
  }
}

type Probed = Readonly<{ connectionString: string; seen: SeenPosition }>

/** Why the log cannot be used now; null where it can. Uses its own connection, with shorter timeouts. */
const probe = async (
  { eventStoreDbStore, tlsHint }: Pick<EventStoreDb, 'eventStoreDbStore' | 'tlsHint'>,
  { connectionString, seen }: Probed,
): Promise<Trouble | null> => {
  const store = eventStoreDbStore({ connectionString, seen, times: PROBE })
  try {
    await store.head()
    return null
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    return { error, hint: error instanceof LogWentBack ? null : await tlsHint(connectionString) }
  } finally {
    await store.close()
  }
}

/** An append never waits longer for the traces of its events: they are lost then. */
const TRACES_MS = 2_000

/** The traces of what is appended are kept in the database, where other processes look for them; before the append, because a reader may have it at once. */
const withTracesBeside = (store: EventStore, pool: Pool): EventStore => ({
  ...store,
  append: async (stream, expected, events) => {
    if (events.some(({ trace }) => trace !== undefined))
      await pTimeout(saveTraces(pool, events), { milliseconds: TRACES_MS }).catch(() => undefined)
    return await store.append(stream, expected, events)
  },
})

const answers = (store: EventStore, servers: string): ReadinessCheck => {
  return async () => {
    await pTimeout(store.head(), { milliseconds: READY_MS, message: `EventStoreDB at ${servers} does not answer` })
  }
}
