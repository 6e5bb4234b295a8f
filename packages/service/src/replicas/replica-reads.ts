import type { Log } from '@tidings/observability/log'
import { currentSnapshot, inSnapshot } from '@tidings/postgres'
import { LRUCache } from 'lru-cache'
import type { Pool, PoolClient } from 'pg'
import { openSnapshot } from './open-snapshot.ts'
import { openStatement } from './open-statement.ts'
import { type LookUp, type Read, type ReadOf, readTogetherBy } from './read-together.ts'
import { replicaPool } from './replica-pool.ts'
import { isOfServer, ServerUnfit } from './server-faults.ts'
import type { ShownPosition } from './shown-position.ts'
import { type ReplicaWatch, watchReplicas } from './watch-replicas.ts'
import type { Replica, UnderWay } from './watched-replica.ts'

/** Callers whose last position is remembered, some 150 bytes each. */
const CALLERS = 10_000
/** A read that fails with its server is tried on one more replica, and on the primary. */
const MOST_TRIES = 3
const PRIMARY = 'primary'

/** Reads on the replicas of a primary, and on the primary where none of them is fit. */
export type ReplicaReads = Readonly<{
  watch: ReplicaWatch
  /** Runs the work in one snapshot of one server; again on another one, where that server is lost on the way: so it must only read. */
  read: Read
  /** The same for a look-up, with others of the caller. */
  readTogether: <Result>(of: LookUp, work: () => Promise<Result>) => Promise<Result>
  /** Its statements are of the snapshot inside of `read`, and outside of it of the primary: what decides reads there. */
  pool: Pool
  /** A pool whose statements are reads of the caller, each in a snapshot of its own. */
  poolOf: (of: ReadOf) => Pool
  /** Reads by the server that answered them. */
  answered: () => ReadonlyMap<string, number>
  stop: () => Promise<void>
}>

type Opening = Readonly<{ primary: Pool; primaryUrl: string; urls: readonly string[]; lagSeconds: number; poolSize: number; log: Log }>

/** `last`: the most that it has shown since it was started. */
type Server = Readonly<{ name: string; pool: Pool; replica: Replica | null; underWay: UnderWay }> & { last: ShownPosition | null }
type ReplicaServer = Server & Readonly<{ replica: Replica }>
type ChosenServer = Readonly<{ server: Server; isFloored: boolean }>
type SeenPosition = Readonly<{ lsn: bigint; name: string }>

export async function openReplicaReads({ primary, poolSize, log, ...watching }: Opening): Promise<ReplicaReads> {
  const watch = await watchReplicas({ ...watching, log })
  const servers = watch.replicas.map((replica) => serverOf(replica, poolSize))
  const onPrimary: Server = { name: PRIMARY, pool: primary, replica: null, last: null, underWay: watch.underWayOnPrimary }
  const seen = new LRUCache<string, SeenPosition>({ max: CALLERS })
  const answered = new Map<string, number>([...servers, onPrimary].map(({ name }) => [name, 0]))

  let history = watch.history()
  const forgetOtherHistory = (): number => {
    if (history !== watch.history()) seen.clear()
    history = watch.history()
    return history
  }

  const noteAnswer = ({ caller, lookUps = 1 }: ReadOf, server: Server, { startedAt, lsn }: ShownPosition): void => {
    const { name, last } = server
    if (last?.startedAt !== startedAt || lsn > last.lsn) server.last = { startedAt, lsn }
    answered.set(name, (answered.get(name) ?? 0) + lookUps)
    const before = seen.get(caller)
    seen.set(caller, { lsn: before === undefined || lsn > before.lsn ? lsn : before.lsn, name })
  }

  const readAt = async <Result>({ server, isFloored }: ChosenServer, of: ReadOf, work: () => Promise<Result>) => {
    const { caller } = of
    const { pool, replica, underWay } = server
    const begunIn = forgetOtherHistory()
    const open = of.lookUps === undefined ? openSnapshot : openStatement
    const snapshot = open({
      pool,
      isReplica: replica !== null,
      floor: isFloored ? (seen.get(caller)?.lsn ?? lowestFor(watch)) : null,
      known: () => knownOf(server),
      confirms: (startedAt, askedAt) => replica === null || (isFloored && watch.confirms(replica, { startedAt, askedAt })),
      mustConfirm: of.confirmed === 'always' || (of.confirmed !== undefined && !watch.isPrimaryAway()),
    })
    const answer = (): void => {
      const shown = snapshot.shown()
      if (watch.isPrimaryAway() || shown?.isConfirmed === false) of.onUnconfirmed?.()
      if (shown !== null && begunIn === forgetOtherHistory()) noteAnswer(of, server, shown)
    }
    try {
      const result = await unlessLost(underWay, inSnapshot(snapshot, work))
      answer()
      snapshot.end()
      return result
    } catch (error) {
      // Statements that were begun beside the one that failed may still run there.
      snapshot.destroy()
      if (!isOfServer(error)) answer()
      throw error
    }
  }

  const read: Read = async (of, work) => {
    if (currentSnapshot() !== undefined) return await work()
    let failures = 0
    let failure: unknown
    for (const one of triesOf({ watch, servers, onPrimary, last: seen.get(of.caller)?.name })) {
      try {
        return await readAt(one, of, work)
      } catch (error) {
        if (!isOfServer(error)) throw error
        failure = error
        if (!(error instanceof ServerUnfit) && ++failures >= MOST_TRIES) break
      }
    }
    throw failure
  }

  return {
    watch,
    read,
    readTogether: readTogetherBy(read),
    pool: withOwn(primary, {
      connect: () => currentSnapshot()?.connect() ?? primary.connect(),
      query: (...statement) => (currentSnapshot() === undefined ? queryOf(primary, statement) : queryHere(statement)),
    }),
    poolOf: (of) => {
      const query = (...statement: readonly unknown[]) => read(of, () => queryHere(statement))
      const client = { query, release: () => undefined } as unknown as PoolClient
      return withOwn(primary, { connect: async () => client, query })
    },
    answered: () => answered,
    stop: async () => {
      await watch.stop()
      await Promise.all(servers.map(({ pool }) => pool.end()))
    },
  }
}

/** While the primary is away, replicas stay as they are: what a caller saw before, in another process, may be on the one that is furthest alone. */
const lowestFor = ({ isPrimaryAway, replicas }: ReplicaWatch): bigint | null => {
  if (!isPrimaryAway()) return null
  return replicas.reduce((furthest, { answers, lsn }) => (answers && lsn > furthest ? lsn : furthest), 0n)
}

const knownOf = ({ last, replica }: Server): readonly ShownPosition[] => {
  const looked = replica !== null && replica.startedAt !== null ? [{ startedAt: replica.startedAt, lsn: replica.lsn }] : []
  return last === null ? looked : [last, ...looked]
}

const serverOf = (replica: Replica, poolSize: number): ReplicaServer => ({
  name: replica.name,
  pool: replicaPool(replica.url, poolSize),
  replica,
  last: null,
  underWay: replica.underWay,
})

type Choice = Readonly<{ watch: ReplicaWatch; servers: readonly ReplicaServer[]; onPrimary: Server; last: string | undefined }>

/** The servers that a read is tried on. `last`: the one that answered its caller last: it needs no look at another one, which may be behind it. */
const triesOf = ({ watch, servers, onPrimary, last }: Choice): readonly ChosenServer[] => {
  const allFit = watch.fit()
  const fit = servers.filter(({ replica }) => allFit.includes(replica)).toSorted((a, b) => load(a) - load(b))
  const first = fit.filter(({ name, pool }) => name === last && pool.waitingCount === 0)
  const floored = [...first, ...fit.filter((server) => !first.includes(server))].map((server) => ({ server, isFloored: true }))
  const ahead = servers.filter(({ replica }) => replica.answers).toSorted((a, b) => Number(b.replica.lsn - a.replica.lsn))
  const anyhow = ahead.map((server) => ({ server, isFloored: false }))
  const byPrimary = { server: onPrimary, isFloored: false }
  return watch.isPrimaryAway() ? [...floored, ...anyhow, byPrimary] : [...floored, byPrimary, ...anyhow]
}

/** Requests that have a connection, or wait for one. */
const load = ({ pool }: Server): number => pool.totalCount - pool.idleCount + pool.waitingCount

type OwnMethods = Readonly<{ connect: () => Promise<PoolClient>; query: (...statement: readonly unknown[]) => Promise<unknown> }>

/** A pool in the eyes of those that read through it. */
const withOwn = (pool: Pool, methods: OwnMethods): Pool => Object.assign(Object.create(pool) as Pool, methods)

const queryOf = (on: Pool | PoolClient, statement: readonly unknown[]): Promise<unknown> => Reflect.apply(on.query, on, statement)

const queryHere = async (statement: readonly unknown[]): Promise<unknown> => {
  const client = await currentSnapshot()?.connect()
  return client && (await queryOf(client, statement))
}

/** The work, unless its server is lost before: a server that does not answer would keep the caller waiting for as long. */
const unlessLost = async <Result>(underWay: UnderWay, work: Promise<Result>): Promise<Result> => {
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => undefined)
  work.catch(() => undefined)
  underWay.add(lost.reject)
  try {
    return await Promise.race([work, lost.promise])
  } finally {
    underWay.delete(lost.reject)
  }
}
