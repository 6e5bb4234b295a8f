import type { Snapshot } from '@tidings/postgres'
import type { Pool, PoolClient, QueryResult } from 'pg'

/** The server cannot answer this read: it shows less than the caller has seen, or is no replica any more. Another one is asked. */
export class ServerUnfit extends Error {}

/** `floor`: the position that it has to show; null where anything will do. */
export type SnapshotPlace = Readonly<{ pool: Pool; isReplica: boolean; floor: bigint | null }>

export type OpenSnapshot = Snapshot &
  Readonly<{
    /** Where the WAL of what it shows ends; null before the first statement. */
    lsn: () => bigint | null
    /** Gives the connection back; `broken` closes it. */
    end: (broken?: boolean) => void
  }>

const REPLAYED = `coalesce(pg_last_wal_replay_lsn(), '0/0')`
const LSN = `((case when pg_is_in_recovery() then ${REPLAYED} else pg_current_wal_insert_lsn() end) - '0/0'::pg_lsn)::int8 as lsn`

// One round trip. What a snapshot shows is at least what was replayed before it was taken, and at most what was replayed afterwards.
const BEGIN = `begin read only; select pg_is_in_recovery() as replica, ${LSN}; commit; begin isolation level repeatable read read only; select ${LSN}`

type Began = Readonly<{ replica: boolean; lsn: bigint }>

/** One snapshot of one server, opened by the first statement. Its statements run one after the other. */
export function openSnapshot({ pool, isReplica, floor }: SnapshotPlace): OpenSnapshot {
  let opened: Promise<PoolClient> | undefined
  let client: PoolClient | undefined
  let lsn: bigint | null = null
  let isOver = false

  const open = async (): Promise<PoolClient> => {
    const own = await pool.connect()
    client = own
    if (isOver) end(true)
    const [, before, , , after] = (await own.query(BEGIN)) as unknown as readonly QueryResult<Began>[]
    const [from, to] = [before?.rows[0], after?.rows[0]]
    if (from === undefined || to === undefined) throw new Error('a snapshot did not say where it is')
    if (isReplica && !from.replica) throw new ServerUnfit('it was promoted')
    if (floor !== null && from.lsn < floor) throw new ServerUnfit('it shows less than the caller has seen')
    lsn = to.lsn
    return oneByOne(own)
  }

  const end = (broken = false): void => {
    isOver = true
    const own = client
    client = undefined
    if (own === undefined) return
    if (broken) own.release(true)
    else
      own.query('commit').then(
        () => own.release(),
        (error: Error) => own.release(error),
      )
  }

  return {
    connect: () => {
      opened ??= open()
      return opened
    },
    lsn: () => lsn,
    end,
  }
}

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
