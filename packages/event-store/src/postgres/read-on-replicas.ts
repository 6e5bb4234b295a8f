import { createPool } from '@tidings/postgres/pool'
import type pg from 'pg'
import { type BytesBatch, comparePositions, type EventStore, type Position } from '../port.ts'
import { postgresEventStore } from './postgres-store.ts'

/** `end`: the last event that the primary had when it was asked; `servers` are those that showed it then. */
export type LogReplicas = Readonly<{
  servers: readonly Readonly<{ name: string; url: string }>[]
  end: Readonly<{ position: Position; id: string }>
}>

/** A replica that failed is asked again after this. */
const LEFT_OUT_MS = 30_000
/** A page is some 50 ms of work. A server that hangs is waited for so long. */
const ANSWER_MS = 10_000
/** One page that is on its way, and one that is asked for meanwhile. */
const CONNECTIONS = 2

/** `isLost`: its failure was said. */
type Replica = { readonly name: string; readonly pool: pg.Pool; readonly store: Store; leftOutUntil: number; isLost: boolean }

type Store = Required<EventStore>
type Page = Pick<BytesBatch, 'to' | 'caughtUp'> & Readonly<{ events: readonly Readonly<{ position: Position }>[] }>

/**
 * A store whose pages come from replicas up to `end`, and from the primary behind it and wherever no replica answers. A page counts only where the replica holds
 * the event at `end`, by position and id, in the same snapshot: what is before that event is then what the primary has, promoted since or not.
 */
export function readOnReplicas(primary: Store, { servers, end }: LogReplicas): Store {
  const replicas = servers.map((server) => openReplica(server, end))
  const pageOf = async <Answer extends Page>(after: Position | 'start', read: (store: Store) => Promise<Answer>): Promise<Answer> => {
    if (after !== 'start' && comparePositions(after, end.position) >= 0) return await read(primary)
    for (const replica of replicas.filter(({ leftOutUntil }) => leftOutUntil <= performance.now())) {
      try {
        const page = await read(replica.store)
        replica.isLost = false
        return upTo(end.position, page)
      } catch (error) {
        leaveOut(replica, error)
      }
    }
    return await read(primary)
  }
  return {
    ...primary,
    readAll: (after, limit) => pageOf(after, (store) => store.readAll(after, limit)),
    readMatching: (after, limit, match) => pageOf(after, (store) => store.readMatching(after, limit, match)),
    readBytes: (after, limit, match) => pageOf(after, (store) => store.readBytes(after, limit, match)),
    close: async () => {
      await primary.close()
      await Promise.all(replicas.map(({ store }) => store.close()))
      await Promise.all(replicas.map(({ pool }) => pool.end()))
    },
  }
}

const openReplica = ({ name, url }: LogReplicas['servers'][number], end: LogReplicas['end']): Replica => {
  const pool = createPool({ url, max: CONNECTIONS, name: 'tidings-log', answerMs: ANSWER_MS })
  const store = postgresEventStore({ pool, seen: { position: end.position, event: end } })
  return { name, pool, store, leftOutUntil: 0, isLost: false }
}

/** What a replica has behind the end may be its own: it may have been promoted. */
const upTo = <Answer extends Page>(end: Position, page: Answer): Answer => {
  if (comparePositions(page.to, end) < 0) return { ...page, caughtUp: false }
  return { ...page, events: page.events.filter(({ position }) => comparePositions(position, end) <= 0), to: end, caughtUp: false }
}

/** One line until it answers again. */
const leaveOut = (replica: Replica, error: unknown): void => {
  replica.leftOutUntil = performance.now() + LEFT_OUT_MS
  if (replica.isLost) return
  replica.isLost = true
  const why = error instanceof Error ? error.message : String(error)
  process.stderr.write(`The log is not read from ${replica.name} (${why}): another replica, or the primary, goes on.\n`)
}
