import type { Snapshot } from '@tidings/postgres'
import pTimeout from 'p-timeout'
import type { Pool, PoolClient, QueryResult } from 'pg'
import { STARTED_AT } from './look-at-server.ts'
import { ServerLost } from './server-lost.ts'

/** The server cannot answer this read: it shows less than the caller has seen, or is no replica any more. Another one is asked. */
export class ServerUnfit extends Error {
  readonly retryable = true
}

/** `floor`: the position that it has to show; null where anything will do. `confirms`: whether a server that was started then shows what was confirmed. */
export type SnapshotPlace = Readonly<{
  pool: Pool
  isReplica: boolean
  floor: bigint | null
  confirms: (startedAt: string) => boolean
}>

/** `lsn`: where the WAL of what it shows ends. */
type ShownPosition = Readonly<{ lsn: bigint; isConfirmed: boolean }>

export type OpenSnapshot = Snapshot &
  Readonly<{
    /** Null before the first statement. */
    shown: () => ShownPosition | null
    /** Gives the connection back. */
    end: () => void
    /** Closes it. */
    destroy: () => void
  }>

const REPLAYED = `coalesce(pg_last_wal_replay_lsn(), '0/0')`
const LSN = `((case when pg_is_in_recovery() then ${REPLAYED} else pg_current_wal_insert_lsn() end) - '0/0'::pg_lsn)::int8 as lsn`

/**
 * A replica gives no lock for as long as a query there keeps a swap of tables from being replayed, or its primary died in the middle of one. Another server
 * answers then.
 */
const LOCK_TIMEOUT_MS = 1_000
const LOCK_NOT_AVAILABLE = '55P03'
/** A process that vanished leaves its snapshot open: what is replayed would wait for that, or the primary keep what it shows. */
const IDLE_MS = 5_000
/** A begin or commit reads nothing: without an answer by then the connection is one that the server does not know any more. */
const ANSWER_MS = 5_000

// One round trip. What a snapshot shows is at least what was replayed before it was taken, and at most what was replayed afterwards.
const beginWith = (settings: string): string =>
  `begin read only; select pg_is_in_recovery() as replica, ${STARTED_AT}, ${LSN}; commit;
   begin isolation level repeatable read read only; ${settings} select ${LSN}`
const BEGIN = beginWith('')
const BEGIN_ON_REPLICA = beginWith(
  `set local lock_timeout = ${LOCK_TIMEOUT_MS}; set local idle_in_transaction_session_timeout = ${IDLE_MS};`,
)

type Began = Readonly<{ replica: boolean; startedAt: string; lsn: bigint }>

/** Whether a statement waited too long for a lock. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE
}

/** One snapshot of one server, opened by the first statement. Its statements run one after the other. */
export function openSnapshot({ pool, isReplica, floor, confirms }: SnapshotPlace): OpenSnapshot {
  let opened: Promise<PoolClient> | undefined
  let client: PoolClient | undefined
  let shown: ShownPosition | null = null
  let isOver = false

  const open = async (): Promise<PoolClient> => {
    const own = await pool.connect()
    client = own
    if (isOver) destroy()
    const results = (await answered(own.query(isReplica ? BEGIN_ON_REPLICA : BEGIN))) as unknown as readonly QueryResult<Began>[]
    const [from, to] = [results[1]?.rows[0], results.at(-1)?.rows[0]]
    if (from === undefined || to === undefined) throw new Error('a snapshot did not say where it is')
    if (isReplica && !from.replica) throw new ServerUnfit('it was promoted')
    if (floor !== null && from.lsn < floor) throw new ServerUnfit('it shows less than the caller has seen')
    shown = { lsn: to.lsn, isConfirmed: confirms(from.startedAt) }
    return oneByOne(own)
  }

  const release = (broken: boolean): void => {
    const own = client
    client = undefined
    own?.release(broken)
  }
  const destroy = (): void => {
    isOver = true
    release(true)
  }
  const end = (): void => {
    isOver = true
    if (client !== undefined) answered(client.query('commit')).then(() => release(false), destroy)
  }

  return {
    connect: () => {
      opened ??= open()
      return opened
    },
    shown: () => shown,
    end,
    destroy,
  }
}

const answered = <Result>(asked: Promise<Result>): Promise<Result> =>
  pTimeout(asked, { milliseconds: ANSWER_MS, message: new ServerLost('a connection was not answered') })

/** The client for those who share it: each statement waits for the one before, and giving it back is left to the end of the snapshot. */
const oneByOne = (client: PoolClient): PoolClient => {
  let last: Promise<unknown> = Promise.resolve()
  const query = (...statement: readonly unknown[]): Promise<unknown> => {
    const result = last.then(() => Reflect.apply(client.query, client, statement) as Promise<unknown>)
    last = result.catch(() => undefined)
    return result
  }
  return Object.assign(Object.create(client) as PoolClient, { query, release: () => undefined })
}
