import { pause, unlessAborted } from '@tidings/async'
import { comparePositions, type Position } from '@tidings/event-store'
import { transaction } from '@tidings/postgres'
import type { ProjectionState } from '../progress.ts'
import type { AnyProjection } from '../projection.ts'
import { alone } from '../rebuild/alone.ts'
import { swapBuilt } from '../rebuild/beside.ts'
import { type Built, isOfTables, readBuilt } from '../rebuild/built.ts'
import type { RebuildOptions } from '../rebuild/options.ts'
import { PartFailed } from '../rebuild/parts/part-failed.ts'
import { buildAndSwap } from '../rebuild/rebuild.ts'
import { RebuildRefused } from '../rebuild/refused.ts'
import { createProjection, fence, readCheckpoint } from './checkpoint.ts'
import { describe, judge, ProjectionStopped } from './failure.ts'
import { followSession } from './follow-session.ts'
import { writeFinalStatus } from './heartbeat.ts'
import { projectionLeases } from './lease.ts'
import { listParked } from './parking.ts'
import type { RunOptions } from './run-options.ts'
import { type Session, startSession } from './session.ts'

/** `stop` resolves when the current batch is written and the lease is free for others. */
export type RunningProjection = Readonly<{ name: string; stop: () => Promise<void> }>

/** The read side survived a log that is older than it. */
class AheadOfLog extends ProjectionStopped {
  override readonly name = 'AheadOfLog'
}

const FREE_LEASE_POLL_MS = 500
const FIRST_BACKOFF_MS = 50
const LONGEST_BACKOFF_MS = 2_000

/**
 * Keeps a projection's tables up with the log for as long as it runs, exactly once, whichever process owns it.
 * States: see `ProjectionState`. It ends by `stop`, or stays `failed` when only a person can help; it never rejects.
 */
export function runProjection(options: RunOptions): RunningProjection {
  const stopping = new AbortController()
  const ended = keepRunning(options, stopping.signal)
  return {
    name: options.projection.name,
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}

const keepRunning = async (options: RunOptions, signal: AbortSignal): Promise<void> => {
  let backoff = FIRST_BACKOFF_MS
  let lastMessage: string | null = null
  let { threads } = options
  const onProgress = () => {
    backoff = FIRST_BACKOFF_MS
    lastMessage = null
  }
  while (!signal.aborted) {
    try {
      await ownOnce({ ...options, threads }, signal, onProgress)
    } catch (error) {
      const verdict = judge(error)
      if (verdict === 'fenced') continue
      const failure = describe(error)
      // A thread that ran out of memory would again, with each attempt from the first event on.
      if (error instanceof RebuildRefused || error instanceof PartFailed) threads = undefined
      if (!signal.aborted && failure.message !== lastMessage) options.onFailure?.(options.projection.name, error)
      lastMessage = failure.message
      if (verdict !== 'again') return finish(options, 'failed', error)
      options.progress.report(options.projection.name, { state: 'retrying', failure })
      await pause(backoff, signal)
      backoff = Math.min(backoff * 2, LONGEST_BACKOFF_MS)
    }
  }
  await finish(options, 'stopped')
}

/** One round: waits for the lease, follows the log until the lease is lost or `signal` aborts, and gives the lease back. */
const ownOnce = async (options: RunOptions, signal: AbortSignal, onProgress: () => void): Promise<void> => {
  const { projection, pool, owner, progress } = options
  const elsewhere = await prepare(options, signal)
  const lease = elsewhere === null ? await projectionLeases.acquire(pool, projection.name, owner) : null
  if (lease === null) {
    progress.report(projection.name, { state: elsewhere ?? 'waiting', failure: null })
    return pause(FREE_LEASE_POLL_MS, signal)
  }
  try {
    const session = await openSession(options, lease.epoch, signal)
    if (session !== null) await followSession({ ...options, session, signal, onProgress })
  } finally {
    await projectionLeases.release(pool, lease).catch(() => undefined) // it expires by itself
  }
}

/**
 * Creates the tables, or builds this version's beside an older one's. Null when they are there; else what this process does meanwhile: the
 * database is ahead of this code, or another process builds the version.
 */
const prepare = async (
  { projection, pool, log, progress, threads }: RunOptions,
  signal: AbortSignal,
): Promise<'superseded' | 'waiting' | null> => {
  const stored = await readCheckpoint(pool, projection.name)
  if (stored === null) await transaction(pool, (tx) => createProjection(tx, projection))
  else if (stored.version < projection.version) {
    const onStart = () => progress.report(projection.name, { state: 'rebuilding' })
    return (await buildVersion({ projection, pool, log, signal, onStart, threads: threads?.() })) ? null : 'waiting'
  }
  return stored !== null && stored.version > projection.version ? 'superseded' : null
}

/** Null when a swap came between looking and taking the lease, or the signal says stop. */
const openSession = async (
  { projection, pool, log, progress }: RunOptions,
  epoch: bigint,
  signal: AbortSignal,
): Promise<Session | null> => {
  await fence(pool, projection.name, epoch)
  const checkpoint = await readCheckpoint(pool, projection.name)
  if (checkpoint === null || checkpoint.version !== projection.version || checkpoint.epoch !== epoch) return null
  const parked = new Set((await listParked(pool, projection.name)).map(({ stream }) => stream))
  const { position } = checkpoint
  const head = await unlessAborted(log.head(), signal)
  if (head === null) return null
  checkNotAhead(projection.name, position, head)
  progress.report(projection.name, { state: 'catching up', position, parked, failure: null, heardAt: performance.now() })
  return startSession({ projection, pool, log, epoch, position, parked })
}

/** Waiting for the log to come by again would look like being up to date, and miss what it then says. */
const checkNotAhead = (name: string, position: Position, head: Position): void => {
  const dense = position.prepare <= 0n && head.prepare <= 0n
  if (!dense || comparePositions(position, head) <= 0) return
  const tables = `The tables of ${name} are at position ${position.commit}, but the log ends at ${head.commit}`
  throw new AheadOfLog(`${tables}: it was restored from an older copy. Rebuild the projection.`)
}

const finish = async ({ projection, pool, owner, progress }: RunOptions, state: ProjectionState, error?: unknown): Promise<void> => {
  const failure = error === undefined ? null : describe(error)
  await writeFinalStatus(pool, { projection: projection.name, owner, state, failure }).catch(() => undefined) // the database may be gone
  progress.report(projection.name, { state, failure })
}

/**
 * Builds the tables of this version where they are those of an older one, or swaps in those that an operator has built beside. One process
 * does, of however many start with it: false while another is at it.
 */
async function buildVersion({ onStart, ...options }: RebuildOptions & Readonly<{ onStart: () => void }>): Promise<boolean> {
  const { projection } = options
  const done = await alone(options, async (client) => {
    const stored = await readCheckpoint(client, projection.name)
    if (stored !== null && stored.version >= projection.version) return true
    onStart()
    const built = await readBuilt(client, projection.name, 'next')
    if (built !== null && isFit(built, projection)) await swapBuilt(options, client, { built, generation: 'next' })
    else await buildAndSwap(options, client)
    return true
  })
  return done === true
}

const isFit = (built: Built, projection: AnyProjection): boolean =>
  !built.expired && built.version === projection.version && isOfTables(built, projection, 'next')
