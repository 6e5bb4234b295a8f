import type { DecodedBatch, EventLog, Recorded } from '@tidings/codec'
import { comparePositions, EventStoreError, type Position } from '@tidings/event-store'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Pool } from 'pg'
import type { AnyProjection } from '../projection.ts'
import { type RowCache, rowCache } from '../row-cache.ts'
import { type CommitBatch, commitBatch } from '../sql/commit-batch.ts'
import { describe, FoldFailed, judge, ProjectionStopped } from './failure.ts'
import { foldBatch } from './fold-batch.ts'
import type { ParkedFrom } from './heartbeat.ts'
import { moveTogether } from './move-together.ts'
import { park, unpark } from './parking.ts'

/** A money projection met an event that it cannot apply: it stops rather than show a wrong balance. */
class PoisonEvent extends ProjectionStopped {
  override readonly name = 'PoisonEvent'
}

/**
 * One owner's time with a projection, from taking the lease to losing it. `persisted` is the checkpoint row's position;
 * `reached` may be ahead of it by events that do not concern the projection.
 */
export type Session = {
  readonly projection: AnyProjection
  readonly pool: Pool
  readonly log: EventLog
  readonly epoch: bigint
  readonly cache: RowCache
  readonly commit: CommitBatch
  readonly parked: Set<string>
  persisted: Position
  reached: Position
  /** Batches, re-drives and moves of the checkpoint go one after the other. */
  readonly queue: LimitFunction
}

export type SessionStart = Readonly<{
  projection: AnyProjection
  pool: Pool
  log: EventLog
  epoch: bigint
  position: Position
  parked: Iterable<string>
}>

export function startSession({ position, parked, ...start }: SessionStart): Session {
  return {
    ...start,
    cache: rowCache(start.projection),
    commit: commitBatch(start.projection),
    parked: new Set(parked),
    persisted: position,
    reached: position,
    queue: pLimit(1),
  }
}

/**
 * Moves past a batch at once, without a turn in the queue, if no event of it concerns the projection: for most projections nearly every batch
 * is of this kind. False if one does, or if the queue is working.
 */
export function passBatch(session: Session, batch: DecodedBatch): boolean {
  const { activeCount, pendingCount } = session.queue
  if (activeCount + pendingCount > 0 || batch.events.some((event) => concerns(session, event))) return false
  session.reached = batch.to
  return true
}

/** How many events of the batch concern the projection; null where a caller may wait for one of them. */
export function patientEvents(session: Session, { events }: DecodedBatch): number | null {
  const concerned = events.filter((event) => concerns(session, event))
  return concerned.every(session.projection.isPatient) ? concerned.length : null
}

/** Applies a batch of the log exactly once; a batch without an event of ours moves only what this process knows. */
export async function applyBatch(session: Session, batch: DecodedBatch): Promise<void> {
  const events = batch.events.filter((event) => concerns(session, event))
  if (events.length > 0) await session.log.confirm()
  if (events.length > 0) await applyEvents(session, events, batch.to)
  session.reached = batch.to
}

/** Whether this process stands before the checkpoint row. */
export function isAhead({ reached, persisted }: Session): boolean {
  return comparePositions(reached, persisted) > 0
}

/**
 * Brings the checkpoint row to where this process stands, for those who only see the row. Not where the log went back: in a database that
 * was restored with it, epochs count again from where they were, and the fence may let pass what this process remembers. Where the log
 * cannot be asked, the row stays behind until the next time.
 */
export async function persistPosition(session: Session): Promise<void> {
  if (!isAhead(session)) return
  const to = session.reached
  const isKnown = await session.log.confirm().then(
    () => true,
    () => false,
  )
  if (!isKnown) return
  const { pool, projection, epoch, persisted: from } = session
  const move = { epoch, from, to }
  if (!(await moveTogether(pool, { projection, move }))) await session.commit(pool, move, new Map())
  session.persisted = to
}

const concerns = (session: Session, event: Recorded): boolean =>
  session.projection.types.has(event.type) && !session.parked.has(event.stream)

const applyEvents = async (session: Session, events: readonly Recorded[], to: Position): Promise<void> => {
  try {
    const rows = await foldBatch(session.projection, events, { db: session.pool, generation: 'live', cache: session.cache })
    // These moved nothing, whatever the rows are: the checkpoint follows as after events that do not concern the projection. Where rows were
    // looked at and left, it is moved now: only its fence says whether they were still this owner's to judge by.
    if (rows.isEmpty()) return
    await session.commit(session.pool, { epoch: session.epoch, from: session.persisted, to }, rows.written)
    rows.keep()
    session.persisted = to
  } catch (error) {
    if (judge(error) !== 'poison') throw error
    await isolate(session, events, { to, error })
  }
}

type Poisoned = Readonly<{ to: Position; error: unknown }>

/** Cuts the batch until the event that cannot be applied stands alone; what is around it is applied. */
const isolate = async (session: Session, events: readonly Recorded[], { to, error }: Poisoned): Promise<void> => {
  const [first] = events
  if (first !== undefined && events.length === 1) {
    await parkEvent(session, first, error)
    return applyEvents(session, [], to)
  }
  const cut = error instanceof FoldFailed ? Math.max(error.index, 1) : Math.floor(events.length / 2)
  const before = events.slice(0, cut)
  await applyEvents(session, before, before.at(-1)?.position ?? session.persisted)
  const after = events.slice(cut).filter((event) => concerns(session, event))
  await applyEvents(session, after, to)
}

const parkEvent = async (session: Session, event: Recorded, error: unknown): Promise<void> => {
  const { message } = describe(error)
  if (session.projection.onPoison === 'stop') {
    throw new PoisonEvent(`${event.type} at ${event.position.commit} in ${event.stream} cannot be applied: ${message}`, { cause: error })
  }
  const move = { epoch: session.epoch, from: session.persisted, to: event.position }
  await park(session.pool, session.projection, { move, parked: { event, error: message } })
  session.persisted = event.position
  session.parked.add(event.stream)
}

const missedBy = async (
  { log, projection, reached }: Session,
  { workspaceId, stream, revision }: ParkedFrom,
): Promise<readonly Recorded[]> => {
  const events = await log.readStream(workspaceId, stream, { from: revision })
  return events.filter((event) => projection.types.has(event.type) && comparePositions(event.position, reached) <= 0)
}

/** The cause is in the stream: it stays parked, and no other stream waits for it. */
const concernsStream = (error: unknown): boolean =>
  judge(error) === 'poison' || (error instanceof EventStoreError && judge(error) === 'fatal')

/** Applies what a parked stream has missed so far. Returns what still fails, or null when the stream is followed again. */
export async function redriveStream(session: Session, parked: ParkedFrom): Promise<string | null> {
  try {
    const missed = await missedBy(session, parked)
    const rows = await foldBatch(session.projection, missed, { db: session.pool, generation: 'live', cache: session.cache })
    const move = { epoch: session.epoch, from: session.persisted, to: session.reached }
    await unpark(session.pool, session.projection, { move, stream: parked.stream, images: rows.written })
    rows.keep()
    session.persisted = session.reached
    session.parked.delete(parked.stream)
    return null
  } catch (error) {
    if (!concernsStream(error)) throw error
    return describe(error).message
  }
}
