import { createEventLog, type EventLog, type KeyRing, type MasterKeys, upcasters, WrongMasterKey } from '@tidings/codec'
import { announceMasterKeys, createKeyRing, openMasterKeys, postgresKeyStore } from '@tidings/codec/keys'
import type { ThreadSource } from '@tidings/codec/log-in-thread'
import { OperationFailed } from '@tidings/config'
import { DETAIL_KINDS, type DetailKind, eventDeclarations, subjectStream } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import type { LogReplicas } from '@tidings/event-store/read-on-replicas'
import type { ReadinessCheck } from '@tidings/http'
import type { RebuildThreads } from '@tidings/projections'
import { rebuildThreads } from '@tidings/projectors'
import type { Pool } from 'pg'
import { replicasWithLog } from '../replicas/replicas-with-log.ts'
import type { Mode } from './connect-database.ts'
import { givenMasterKeys } from './given-master-keys.ts'
import { readLastSeen } from './log-mark.ts'
import { type OpenedStore, openEventStoreDb } from './open-eventstoredb.ts'
import { type Opening, openPools, type Pools } from './open-pools.ts'
import { takesLock } from './takes-lock.ts'

/** What every command of the CLI uses, and every process that needs more than the read models. `close` ends them in reverse order. */
export type Stores = Pools &
  Readonly<{
    log: EventLog
    /** The log as it is stored, personal data sealed: the relay publishes it. */
    store: EventStore
    keyRing: KeyRing
    /** They derive the keys of tokens. */
    masters: MasterKeys
    /** The source for threads that read the log; undefined if it is not in Postgres. */
    threadSource: () => ThreadSource | undefined
    /** The threads that may rebuild a projection, by default one a core; undefined if the log is not in Postgres, and in one of several processes. */
    rebuildThreads: (count?: number) => RebuildThreads | undefined
    /** The checks of `/health/ready` for the log and the master key. */
    ready: OpenedStore['ready']
    /** Those on which the log is read. */
    replicas: LogReplicas | undefined
  }>

/** `readsReplicas`: a command that reads much of the log; it does so on the replicas that are configured. */
type StoresOpening = Opening & Readonly<{ readsReplicas?: boolean }>

/** Connects to everything that is configured, and starts the embedded Postgres where no database is. Throws one sentence when something is missing. */
export async function openStores(opening: StoresOpening): Promise<Stores> {
  const { config } = opening
  const pools = await openPools(opening)
  const { pool } = pools
  try {
    const keyStore = postgresKeyStore(pool)
    const masters = await openMasterKeys(keyStore, await givenMasterKeys(config, keyStore))
    const onLost = (error: unknown): void => opening.log.error({ err: error }, 'this process has lost the master key')
    const onLearnt = (learnt: Readonly<{ id: string; replaces: string }>): void =>
      opening.log.info(learnt, `the master key is rotated: this process works with ${learnt.id} in place of ${learnt.replaces}`)
    const holder = await announceMasterKeys({ pool, masters, onLost, onLearnt })
    const opened = await openEventStore(opening, pool).catch(async (error: unknown) => {
      await holder.stop()
      throw error
    })
    const { store, replicas } = opened
    const ready = { ...opened.ready, 'master key': async () => masters.assertInForce() }
    const keyRing = createKeyRing({ store: keyStore, masters })
    const eventLog = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing, subjectStream, ending: endingOf(config) })
    const close = async () => {
      await eventLog.close()
      await holder.stop()
      await pools.close()
    }
    const threadSource = threadSourceOf(opening, { url: pools.url, replicas, masters })
    // Several processes rebuild several projections side by side, and the connections of threads are not among those shared out to them.
    const threads = (count?: number) => (opening.mode === 'worker' ? undefined : rebuildThreadsOf(threadSource(), count))
    return { ...pools, log: eventLog, store, ready, keyRing, masters, threadSource, rebuildThreads: threads, replicas, close }
  } catch (error) {
    await pools.close()
    throw error instanceof WrongMasterKey ? new OperationFailed(error.message, { cause: error }) : error
  }
}

/** The days for which details inside of events are kept; null for as long as their person. */
export function detailDays({ retention }: Pick<Opening['config'], 'retention'>): Readonly<Record<DetailKind, number | null>> {
  return { client: retention.clientDetailsDays, content: retention.smallContentDays }
}

/** Details that are kept as long as their person need no key of their week. */
const endingOf = (config: Opening['config']): readonly DetailKind[] => {
  const days = detailDays(config)
  return DETAIL_KINDS.filter((kind) => days[kind] !== null)
}

type OpenedLog = Readonly<{ url: string; replicas: LogReplicas | undefined; masters: MasterKeys }>

const threadSourceOf = ({ config }: Opening, { url, replicas, masters }: OpenedLog): Stores['threadSource'] => {
  if (config.storage.eventStore !== 'postgres') return () => undefined
  return () => {
    const [newest = masters.current(), ...others] = masters.all()
    return { url, replicas, masterKeys: [newest.text, ...others.map(({ text }) => text)] }
  }
}

const rebuildThreadsOf = (source: ThreadSource | undefined, count?: number): RebuildThreads | undefined =>
  source && rebuildThreads(source, count)

// A reader of the table, as a backup is, blocks no append.
const HOLDER = `
  select coalesce(nullif(a.application_name, ''), 'a connection') as name, a.pid
  from pg_locks l left join pg_stat_activity a using (pid)
  where l.relation = 'es.append_lock'::regclass and l.database = (select oid from pg_database where datname = current_database())
    and l.granted and l.mode <> 'AccessShareLock' limit 1`

/** Goes the way of an append as far as its lock: a log that can be read and not be written is not ready. */
export function logTakesWrites(pool: Pool): ReadinessCheck {
  return () =>
    takesLock(pool, {
      lock: { text: 'select es.lock()', values: [] },
      holder: { text: HOLDER, values: [] },
      what: 'nothing can be written: the lock of the log',
    })
}

const SERVES_ALL: ReadonlySet<Mode> = new Set(['service', 'worker'])

/** An append that found its connection at the last moment is sent once more. */
const RESEND_MS = 1_000

const hasLog = async (pool: Pool): Promise<boolean> => {
  const { rows } = await pool.query<{ log: boolean }>('select exists (select 1 from es.event) as log')
  return rows[0]?.log === true
}

/**
 * Opens the configured log. Throws one sentence for a setting that cannot be used, and for a log in another place than the one that the
 * tables of this database were built from: positions of one log mean nothing in another. A log that does not answer, or lacks events that
 * this database has seen, ends a command; a service waits for it, reads and writes nothing there, and is not ready.
 */
async function openEventStore(opening: StoresOpening, pool: Pool): Promise<OpenedStore & Readonly<{ replicas?: LogReplicas | undefined }>> {
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
  const appendDeadlineMs = opening.config.storage.waitMs + RESEND_MS
  const primary = postgresEventStore({ pool, log: opening.log, appendDeadlineMs, ...(SERVES_ALL.has(opening.mode) && { seen }) })
  const replicas = opening.readsReplicas ? await replicasWithLog({ config: opening.config, pool, store: primary }) : undefined
  const store = replicas ? (await import('@tidings/event-store/read-on-replicas')).readOnReplicas(primary, replicas) : primary
  return { store, replicas, ready: { 'event store': async () => void (await store.head()), 'event log writes': logTakesWrites(pool) } }
}
