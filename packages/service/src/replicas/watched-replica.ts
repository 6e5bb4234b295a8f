import type { Pool } from 'pg'
import { type Look, lookingPool, serverName } from './look-at-server.ts'

/** A replica is read again only after so long: by then every process that writes has seen it, and waits for it. */
const SETTLED_MS = 2_000
/** A look that is so old says nothing of now: a replica that stood still meanwhile may show less than others wait for. */
const STALE_MS = 1_500
/** A write waits for a replica that was fit so short ago: longer than another process goes by its own looks. */
const AWAITED_MS = 3_000

/**
 * `fault`: why it is not read; null where it is. `strayAt`: the position at which it was beyond the primary's; null where it was not. `steadySince`: the looks since then, the last
 * one at `fitUntil`, all found the same server fit, beside a primary that answered, and no two of them are far apart. Times are in ms of one monotonic clock.
 */
export type Replica = {
  readonly name: string
  readonly url: string
  readonly watched: Pool
  fault: string | null
  answers: boolean
  startedAt: string | null
  lsn: bigint
  strayAt: bigint | null
  lagMs: number | null
  lagBytes: bigint | null
  fitSince: number | null
  steadySince: number | null
  fitUntil: number
  /** Each rejects a read that is under way there. */
  readonly underWay: UnderWay
}

export type UnderWay = Set<(error: Error) => void>

/** `lookedAt`: when its server and the primary were asked; null where the primary did not answer. */
type FoundOf = Readonly<{ look: Look | Error; fault: string | null; lookedAt: number | null }>

export function replicaAt(url: string): Replica {
  return {
    name: serverName(url),
    url,
    watched: lookingPool(url, 'tidings-watch'),
    fault: 'not asked yet',
    answers: false,
    startedAt: null,
    lsn: 0n,
    strayAt: null,
    lagMs: null,
    lagBytes: null,
    fitSince: null,
    steadySince: null,
    fitUntil: Number.NEGATIVE_INFINITY,
    underWay: new Set(),
  }
}

/** Notes since when, and until when, the replica is fit. */
export function noteFitness(replica: Replica, { look, fault, lookedAt }: FoundOf): void {
  const startedAt = look instanceof Error ? replica.startedAt : look.startedAt
  const goesOn = fault === null && startedAt === replica.startedAt
  const now = performance.now()
  replica.fitSince = fault === null ? ((goesOn ? replica.fitSince : null) ?? now) : null
  replica.fault = fault
  replica.startedAt = startedAt
  if (fault !== null) replica.steadySince = null
  if (fault !== null || lookedAt === null) return
  const isSteady = goesOn && lookedAt - replica.fitUntil < STALE_MS
  replica.steadySince = (isSteady ? replica.steadySince : null) ?? lookedAt
  replica.fitUntil = lookedAt
}

/** Whether it may be read; while the primary is away there is nothing to wait for. */
export function isSettled({ fault, fitSince }: Replica, isAway: boolean): boolean {
  return fault === null && fitSince !== null && (isAway || performance.now() - fitSince >= SETTLED_MS)
}

/** When the server was started that answers, and when it was asked. */
export type AnsweringServer = Readonly<{ startedAt: string; askedAt: number }>

/** Whether each process that writes waited for it from before it was asked until now, so that it shows what was confirmed. */
export function isSteady({ startedAt, steadySince, fitUntil }: Replica, answering: AnsweringServer): boolean {
  const waitsSince = steadySince !== null && answering.askedAt - steadySince >= SETTLED_MS
  return waitsSince && startedAt === answering.startedAt && performance.now() - fitUntil < STALE_MS
}

export function isAwaited({ answers, fitUntil }: Replica): boolean {
  return answers && performance.now() - fitUntil < AWAITED_MS
}
