import { startTicker } from '@tidings/async'
import type { Log } from '@tidings/observability/log'
import pTimeout from 'p-timeout'
import { type Look, lookAtServer, lookingPool } from './look-at-server.ts'
import { type PrimaryPositions, primaryPositions } from './primary-positions.ts'
import { faultOf } from './replica-fault.ts'
import { ServerLost } from './server-faults.ts'
import {
  type AnsweringServer,
  isAwaited,
  isSettled,
  isSteady,
  noteFitness,
  type Replica,
  replicaAt,
  type UnderWay,
} from './watched-replica.ts'

const EVERY_MS = 500

export type ReplicaWatch = Readonly<{
  replicas: readonly Replica[]
  isPrimaryAway: () => boolean
  /** What the last look that failed met. */
  primaryFault: () => Error | null
  /** Those that are read. */
  fit: () => readonly Replica[]
  /** Those that some process may read: a write is shown when they show it. */
  awaited: () => readonly Replica[]
  /** Whether what the replica showed when it was asked has each write that was confirmed by then. */
  confirms: (replica: Replica, answering: AnsweringServer) => boolean
  /** Another number after the primary's positions went back: those of before say nothing any more. */
  history: () => number
  /** The reads that are under way on the primary. */
  underWayOnPrimary: UnderWay
  stop: () => Promise<void>
}>

type Watching = Readonly<{ primaryUrl: string; urls: readonly string[]; lagSeconds: number; log: Log }>

/** Looks at the primary and its replicas twice a second. Resolves after the first look, whatever that found. */
export async function watchReplicas({ primaryUrl, urls, lagSeconds, log }: Watching): Promise<ReplicaWatch> {
  const replicas = urls.map(replicaAt)
  const positions = primaryPositions(2_000 * lagSeconds)
  const primary = watchPrimary({ url: primaryUrl, replicas, positions, log })

  const lookAtReplica = async (replica: Replica, lookedAt: number | null): Promise<void> => {
    const look = await lookAtServer(replica.watched).catch((error: unknown) => asError(error))
    const lsn = look instanceof Error ? replica.lsn : look.lsn
    const now = performance.now()
    const [lagMs, lagBytes] = [positions.lagMs(lsn, now), positions.lagBytes(lsn)]
    const isStray = replica.strayAt === lsn
    const { isAway, system } = primary.state
    const fault = faultOf(look, { isAway, system, isStray, lagMs, lagSeconds })
    const answers = !(look instanceof Error) && look.isReplica && !isStray && (system === null || look.system === system)
    report(log, replica, fault)
    if (answers) primary.state.system ??= look.system
    else loseReads(replica.underWay, `${replica.name} ${fault}`)
    Object.assign(replica, { answers, lsn, lagMs, lagBytes, ...(!isStray && { strayAt: null }) })
    noteFitness(replica, { look, fault, lookedAt: isAway ? null : lookedAt })
  }

  const look = async (): Promise<void> => {
    // Asked first: a replica that has reached this position is not behind, whatever is written meanwhile. One that hangs keeps nothing waiting.
    const lookedAt = await pTimeout(primary.look(), { milliseconds: EVERY_MS, fallback: () => null })
    await Promise.all(replicas.map((replica) => lookAtReplica(replica, lookedAt)))
    primary.report()
  }

  await primary.look()
  await look()
  const ticker = startTicker(EVERY_MS, look)
  const isPrimaryAway = (): boolean => primary.state.isAway
  return {
    replicas,
    isPrimaryAway,
    primaryFault: () => primary.state.fault,
    fit: () => replicas.filter((replica) => isSettled(replica, isPrimaryAway())),
    awaited: () => replicas.filter(isAwaited),
    confirms: (replica, answering) => !isPrimaryAway() && isSteady(replica, answering),
    history: () => primary.state.history,
    underWayOnPrimary: primary.underWay,
    stop: async () => {
      ticker.stop()
      await ticker.ended()
      await Promise.all([primary.stop(), ...replicas.map(({ watched }) => watched.end())])
    },
  }
}

type WatchingPrimary = Readonly<{ url: string; replicas: readonly Replica[]; positions: PrimaryPositions; log: Log }>

const watchPrimary = ({ url, replicas, positions, log }: WatchingPrimary) => {
  const pool = lookingPool(url, 'tidings-watch')
  const state = { isAway: false, fault: null as Error | null, system: null as string | null, history: 0 }
  let saidAway = false
  const underWay: UnderWay = new Set()
  let looking: Promise<number | null> | null = null

  const lookOnce = async (): Promise<number | null> => {
    const at = performance.now()
    const shown = replicas.map((replica) => ({ replica, lsn: replica.lsn }))
    const look = await lookAtServer(pool).then(unlessReplica, (error: unknown) => asError(error))
    const isAway = look instanceof Error
    state.isAway = isAway
    if (isAway) {
      state.fault = look
      if (replicas.some(({ answers }) => answers)) loseReads(underWay, 'the primary database is away')
      return null
    }
    state.system = look.system
    if (!positions.note(look.lsn, at)) state.history++
    // No replica has replayed before the primary was asked what that had not written.
    for (const { replica, lsn } of shown) if (lsn > look.lsn) replica.strayAt = lsn
    return at
  }
  return {
    state,
    underWay,
    /** When it was asked; null where it does not answer. */
    look: (): Promise<number | null> => {
      looking ??= lookOnce().finally(() => {
        looking = null
      })
      return looking
    },
    /** One line when it goes away, and one when it is back. */
    report: (): void => {
      const { isAway, fault } = state
      if (isAway === saidAway) return
      saidAway = isAway
      const answering = replicas.filter(({ answers }) => answers).length
      if (isAway) log.error({ err: fault }, `the primary database is away: reads go on, on ${answering} replicas`)
      else log.info('the primary database is back')
    },
    stop: async () => {
      await looking
      await pool.end()
    },
  }
}

/** A standby that has not been promoted knows neither what was written last, nor what was confirmed. */
const unlessReplica = (look: Look): Look | Error => (look.isReplica ? new Error('it is a replica itself: it takes no writes') : look)

const loseReads = (underWay: UnderWay, why: string): void => {
  for (const lose of underWay) lose(new ServerLost(why))
}

/** One line when a replica is not read any more, and one when it is again. */
const report = (log: Log, { name, fault: before }: Replica, fault: string | null): void => {
  if ((before === null) === (fault === null)) return
  if (fault === null) log.info(`the replica ${name} is fit to be read`)
  else log.warn(`the replica ${name} is not read: it ${fault}`)
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
