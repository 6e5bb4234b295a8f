import { startTicker } from '@tidings/async'
import type { Log } from '@tidings/observability/log'
import { createPool } from '@tidings/postgres'
import type { Pool } from 'pg'
import { LOOK_TIMEOUT_MS, type Look, lookAtServer, serverName } from './look-at-server.ts'
import { primaryPositions } from './primary-positions.ts'

const EVERY_MS = 500
/** A replica is read again only after so long: by then every process that writes has seen it, and waits for it. */
const SETTLED_MS = 2_000

/** `fault`: why it is not read; null where it is. */
export type Replica = {
  readonly name: string
  readonly url: string
  readonly watched: Pool
  fault: string | null
  answers: boolean
  lsn: bigint
  lagMs: number | null
  lagBytes: bigint | null
  fitSince: number | null
  fitUntil: number
  /** Each rejects a read that is under way there. */
  readonly underWay: Set<(error: Error) => void>
}

export type ReplicaWatch = Readonly<{
  replicas: readonly Replica[]
  isPrimaryAway: () => boolean
  /** Those that are read. */
  fit: () => readonly Replica[]
  /** Those that some process may read: a write is shown when they show it. */
  awaited: () => readonly Replica[]
  stop: () => Promise<void>
}>

type Watching = Readonly<{ primaryUrl: string; urls: readonly string[]; lagSeconds: number; log: Log }>

/** A read was under way on a replica that does not answer any more. */
export class ReplicaLost extends Error {
  readonly retryable = true
}

const replicaAt = (url: string): Replica => ({
  name: serverName(url),
  url,
  watched: watchingPool(url),
  fault: 'not asked yet',
  answers: false,
  lsn: 0n,
  lagMs: null,
  lagBytes: null,
  fitSince: null,
  fitUntil: Number.NEGATIVE_INFINITY,
  underWay: new Set(),
})

const watchingPool = (url: string): Pool => createPool({ url, max: 1, name: 'tidings-watch', timeoutMs: LOOK_TIMEOUT_MS })

/** Looks at the primary and its replicas twice a second. Resolves after the first look, whatever that found. */
export async function watchReplicas({ primaryUrl, urls, lagSeconds, log }: Watching): Promise<ReplicaWatch> {
  const primary = watchingPool(primaryUrl)
  const replicas = urls.map(replicaAt)
  const positions = primaryPositions(2_000 * lagSeconds)
  const state = { isAway: false, system: null as string | null }

  const lookAtPrimary = async (): Promise<void> => {
    const at = performance.now()
    const look = await lookAtServer(primary).catch((error: unknown) => asError(error))
    const isAway = look instanceof Error
    if (!isAway) {
      state.system = look.system
      positions.note(look.lsn, at)
    }
    if (isAway && !state.isAway) {
      const reads = replicas.filter(({ answers }) => answers).length
      log.error({ err: look }, `the primary database is away: reads go on, on ${reads} replicas`)
    }
    if (!isAway && state.isAway) log.info('the primary database is back')
    state.isAway = isAway
  }

  const lookAtReplica = async (replica: Replica): Promise<void> => {
    const look = await lookAtServer(replica.watched).catch((error: unknown) => asError(error))
    const now = performance.now()
    const lsn = look instanceof Error ? replica.lsn : look.lsn
    const [lagMs, lagBytes] = [positions.lagMs(lsn, now), positions.lagBytes(lsn)]
    const fault = faultOf(look, { ...state, lagMs, lagSeconds })
    const answers = !(look instanceof Error) && look.isReplica && (state.system === null || look.system === state.system)
    report(log, replica, fault)
    if (!answers) for (const lose of replica.underWay) lose(new ReplicaLost(`${replica.name} ${fault}`))
    const fitSince = fault === null ? (replica.fitSince ?? now) : null
    Object.assign(replica, { fault, answers, lsn, lagMs, lagBytes, fitSince, ...(fault === null && { fitUntil: now }) })
  }

  const look = async (): Promise<void> => {
    // Asked first: a replica that has reached this position is not behind, whatever is written meanwhile.
    await lookAtPrimary()
    await Promise.all(replicas.map(lookAtReplica))
  }

  await look()
  let looking: Promise<void> = Promise.resolve()
  const ticker = startTicker(EVERY_MS, () => {
    looking = look()
    return looking
  })
  return {
    replicas,
    isPrimaryAway: () => state.isAway,
    fit: () => replicas.filter((replica) => isSettled(replica, state)),
    awaited: () => replicas.filter(({ answers, fitUntil }) => answers && performance.now() - fitUntil < SETTLED_MS),
    stop: async () => {
      ticker.stop()
      await looking
      await Promise.all([primary, ...replicas.map(({ watched }) => watched)].map((pool) => pool.end()))
    },
  }
}

const isSettled = ({ fault, fitSince }: Replica, { isAway }: Readonly<{ isAway: boolean }>): boolean =>
  fault === null && fitSince !== null && (isAway || performance.now() - fitSince >= SETTLED_MS)

type LookContext = Readonly<{ isAway: boolean; system: string | null; lagMs: number | null; lagSeconds: number }>

const faultOf = (look: Look | Error, { isAway, system, lagMs, lagSeconds }: LookContext): string | null => {
  if (look instanceof Error) return `does not answer: ${look.message}`
  if (!look.isReplica) return 'takes writes itself: it is no replica, or was promoted'
  if (system !== null && look.system !== system) return 'is a replica of another server'
  if (isAway) return null
  if (lagMs === null) return `is more than ${lagSeconds} s behind, or begins to catch up`
  return lagMs > lagSeconds * 1_000 ? `is ${Math.round(lagMs / 1_000)} s behind` : null
}

/** One line when a replica is not read any more, and one when it is again. */
const report = (log: Log, { name, fault: before }: Replica, fault: string | null): void => {
  if ((before === null) === (fault === null)) return
  if (fault === null) log.info(`the replica ${name} is fit to be read`)
  else log.warn(`the replica ${name} is not read: it ${fault}`)
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
