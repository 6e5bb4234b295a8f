import type { Snapshot } from '@tidings/postgres'
import type { Pool, PoolClient, QueryResult } from 'pg'
import { faultOnReplica } from './server-faults.ts'
import { type AskedServer, answered, type FoundPosition, type JudgedPosition, judge, POSITION, reachFloor } from './shown-position.ts'

export type SnapshotPlace = AskedServer & Readonly<{ pool: Pool }>

export type OpenSnapshot = Snapshot &
  Readonly<{
    /** Where the WAL of what it shows ends. Null before the first statement. */
    shown: () => JudgedPosition | null
    /** Gives the connection back. */
    end: () => void
    /** Closes it. */
    destroy: () => void
  }>

// One round trip.
const BEGIN = `begin isolation level repeatable read read only; select ${POSITION}`

/** One snapshot of one server, opened by the first statement. Its statements run one after the other. */
export function openSnapshot(place: SnapshotPlace): OpenSnapshot {
  let opened: Promise<PoolClient> | undefined
  let client: PoolClient | undefined
  let shown: JudgedPosition | null = null
  let isOver = false

  const open = async (): Promise<PoolClient> => {
    const own = await place.pool.connect()
    client = own
    if (isOver) destroy()
    const asking = await reachFloor(own, place)
    const results = (await answered(own.query(BEGIN))) as unknown as readonly QueryResult<FoundPosition>[]
    shown = judge(results.at(-1)?.rows[0], place, asking)
    return oneByOne(own, place)
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

/** The client for those who share it: each statement waits for the one before, and giving it back is left to the end of the snapshot. */
const oneByOne = (client: PoolClient, { isReplica }: AskedServer): PoolClient => {
  let last: Promise<unknown> = Promise.resolve()
  const query = (...statement: readonly unknown[]): Promise<unknown> => {
    const result = last.then(() => Reflect.apply(client.query, client, statement) as Promise<unknown>)
    last = result.catch(() => undefined)
    return isReplica ? result.catch(throwFault) : result
  }
  return Object.assign(Object.create(client) as PoolClient, { query, release: () => undefined })
}

const throwFault = (error: unknown): never => {
  throw faultOnReplica(error)
}
