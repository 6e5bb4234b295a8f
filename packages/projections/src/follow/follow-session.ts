import { startTicker, unlessAborted } from '@tidings/async'
import type { DecodedBatch } from '@tidings/codec'
import { comparePositions, type Position, secondsSince } from '@tidings/event-store'
import pTimeout from 'p-timeout'
import type { ProjectionState } from '../progress.ts'
import { judge } from './failure.ts'
import { createGathering, type Gathering } from './gathering.ts'
import { beat, type Heard, measureLag } from './heartbeat.ts'
import { recordRedriveFailure } from './redrive.ts'
import type { RunOptions } from './run-options.ts'
import { isAhead, persistPosition, redriveStream, type Session } from './session.ts'

const BEAT_MS = 1_000
const LAG_TIMEOUT_MS = 1_000
/** A session that heard the end of the log this recently does not ask for it: an idle process would ask once a second for nothing. */
const HEARD_MS = 1_000
/**
 * The checkpoint row may show events that do not concern the projection this much later; this process knows at once. Under load every
 * projection pays for it: thirteen of them at 50 ms are 260 transactions a second, as much as a tenth of what accepting emails costs.
 */
const PERSIST_MS = 250
/** A live projection counts as behind again when it still finds full batches of events older than this. */
const BEHIND_SECONDS = 5

type Following = RunOptions & Readonly<{ session: Session; signal: AbortSignal; onProgress: () => void }>

/** Mutable facts of one session that its status row tells. */
type Tally = {
  state: ProjectionState
  lastCreated: string | null
  caughtUpAt: number
  beatAt: number
  beatPosition: Position
  wasLive: boolean
  beatNow: () => void
}

/** Follows the log until `signal` (resolves), the lease is lost (resolves) or something fails (rejects). */
export async function followSession(following: Following): Promise<void> {
  const { session, log, signal, progress, projection } = following
  const lost = new AbortController()
  const ends = AbortSignal.any([signal, lost.signal])
  const head = await unlessAborted(log.head(), signal)
  if (head === null) return
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined) // raced below; a failure after the end is ignored
  const stop = (error?: unknown) => {
    lost.abort()
    if (error !== undefined) failed.reject(error)
  }
  const flush = () => gathering.flush().then(() => report(following), stop)
  const gathering = createGathering(
    session,
    () => progress.isAwaited(projection.name),
    () => void flush(),
  )
  const unlink = progress.onAwaited(projection.name, () => void flush())
  const beating = startTicker(BEAT_MS, () => keepLease(following, tally, stop))
  const persisting = startTicker(PERSIST_MS, async () => {
    if (isAhead(session)) await session.queue(() => persistPosition(session)).catch((error) => stop(error))
  })
  const tally: Tally = {
    state: 'catching up',
    lastCreated: null,
    caughtUpAt: Number.NEGATIVE_INFINITY,
    beatAt: performance.now(),
    beatPosition: session.reached,
    wasLive: false,
    beatNow: beating.tickNow,
  }
  if (comparePositions(session.reached, head) >= 0) become(following, tally, 'live')
  try {
    await Promise.race([failed.promise, consume(following, { tally, gathering, signal: ends })])
    if (!lost.signal.aborted) await session.queue(() => persistPosition(session))
  } finally {
    lost.abort()
    unlink()
    gathering.end()
    beating.stop()
    persisting.stop()
    // A beat that is under way writes its row, and may re-drive a stream: both belong to this owner's time.
    await beating.ended()
    await session.queue(async () => undefined)
  }
}

type Consuming = Readonly<{ tally: Tally; gathering: Gathering; signal: AbortSignal }>

const report = ({ session, progress, projection }: Following): void =>
  progress.report(projection.name, { position: session.reached, parked: session.parked, heardAt: performance.now() })

const consume = async (following: Following, { tally, gathering, signal }: Consuming): Promise<void> => {
  const { session, log, projection, onProgress, maxBatch } = following
  const options = { from: session.reached, signal, ...projection.filter, ...(maxBatch === undefined ? {} : { maxBatch }) }
  for await (const batch of log.subscribe(options)) {
    if (signal.aborted) return
    await gathering.take(batch)
    tally.lastCreated = batch.events.at(-1)?.created ?? tally.lastCreated
    report(following)
    tally.caughtUpAt = batch.caughtUp ? performance.now() : Number.NEGATIVE_INFINITY
    if (batch.caughtUp) become(following, tally, 'live')
    else if (isBehind(batch)) become(following, tally, 'catching up')
    onProgress()
  }
}

const isBehind = ({ events }: DecodedBatch): boolean => {
  const last = events.at(-1)
  return last !== undefined && secondsSince(last.created) > BEHIND_SECONDS
}

const become = ({ progress, projection }: Following, tally: Tally, state: ProjectionState): void => {
  if (tally.state === state) return
  tally.state = state
  progress.report(projection.name, { state })
  if (state !== 'live' || tally.wasLive) return
  tally.wasLive = true
  // Other processes wait only for what its row calls live: up to a second's writes were answered `pending` for nothing.
  tally.beatNow()
}

const keepLease = async (following: Following, tally: Tally, stop: (error?: unknown) => void): Promise<void> => {
  const { session, log, pool, owner, progress, projection } = following
  try {
    const now = performance.now()
    const { reached } = session
    const seconds = (now - tally.beatAt) / 1_000
    const end = now - tally.caughtUpAt < HEARD_MS ? Promise.resolve(reached) : log.head().catch(() => null)
    // A log that is unavailable, and is asked again until a timeout, or that went back, must not cost the lease: then the lag is unknown.
    const head = await pTimeout(end, { milliseconds: LAG_TIMEOUT_MS, fallback: () => null })
    const stretch = { from: tally.beatPosition, reached, seconds, lastCreated: tally.lastCreated }
    const lag = head === null ? null : measureLag({ ...stretch, head })
    Object.assign(tally, { beatAt: now, beatPosition: reached })
    const { epoch, persisted } = session
    const heard = await beat(pool, { projection: projection.name, owner, epoch, persisted, state: tally.state, lag, failure: null })
    if (!heard.leased || heard.fellBack) return stop()
    progress.report(projection.name, { heardAt: performance.now(), lagEvents: lag?.events ?? null, lagSeconds: lag?.seconds ?? null })
    await redriveAsked(following, heard)
  } catch (error) {
    // A missed beat is no reason to drop the session: the lease may outlive it, and the fence decides in the end.
    if (judge(error) !== 'again') stop(error)
  }
}

const redriveAsked = async ({ session, pool, progress, projection }: Following, { redrive }: Heard): Promise<void> => {
  for (const parked of redrive) {
    const failure = await session.queue(() => redriveStream(session, parked))
    if (failure !== null) await recordRedriveFailure(pool, projection.name, { stream: parked.stream, error: failure })
    progress.report(projection.name, { parked: session.parked })
  }
}
