import { pause } from '@tidings/async'
import { comparePositions, type Position } from '@tidings/event-store'
import { type Deferral, type Job, type Lease, makeLanesDue, type Verdict } from '@tidings/jobs'
import { createFirstHeads, type ReadSide, ReadSideBehind, type ReadYourWrites, requireShown } from '@tidings/projections'
import type { Pool } from 'pg'

type Work = (job: Job, lease: Lease, signal: AbortSignal) => Promise<Verdict>

/**
 * Decisions of one kind of jobs, made on read models that show their cause (M44).
 *
 * - _open_: a decision waits for what it needs, as long as a wait takes. Where that is not enough, its job is put off, and the gate is shut.
 * - _shut_: a decision that needs as much is put off at once, so that no slot is kept by a wait. One loop waits for the read side, whatever the number
 *   of jobs, and makes them due when it shows what they need.
 *
 * The jobs are rows of the inbox: a process that is killed leaves them to their due time.
 */
export type ReadGate = Readonly<{
  /** Throws `ReadSideBehind` unless the projections show the position. */
  require: (position: Position | null, projections: readonly string[]) => Promise<void>
  /**
   * The same for everything that the log had when the decision first asked: a read side that is always a little behind catches up with that.
   * `decision`: of this one alone, and not of its lane, where another process may have made it and the next is to be made.
   */
  requireAsOfNow: (decision: string, projections: readonly string[]) => Promise<void>
  /** The work of a job, which is put off where it throws `ReadSideBehind`. */
  guard: (laneOf: (job: Job) => string, work: Work) => Work
  stop: () => Promise<void>
}>

/** `onReleased`: jobs are due that were put off. `netMs`: after which a job that was put off asks by itself; default 30 s. */
export type ReadGateOptions = Readonly<{
  pool: Pool
  kind: string
  head: () => Promise<Position>
  reads: ReadYourWrites
  onReleased: () => void
  onFault: (error: unknown) => void
  netMs?: number
}>

const NET_MS = 30_000
/** A decision that is put off asks once a net. */
const KEPT_NETS = 4
/** The pause between two waits while the read side is away, and before the second pass: a job may be put off after the first. */
const AGAIN_MS = 500
/** Lanes that are made due by name; jobs of others are due after the net. */
const MAX_LANES = 20_000
const LANES_AT_ONCE = 1_000

type Shut = { position: Position; projections: Set<string>; lanes: Set<string> }

export function createReadGate(options: ReadGateOptions): ReadGate {
  const { head, reads, netMs = NET_MS } = options
  const asked = createFirstHeads(head, { keptMs: KEPT_NETS * netMs })
  const stopping = new AbortController()
  const { signal } = stopping
  let shut: Shut | null = null
  let isOpening = false
  let opening: Promise<void> | undefined

  const wait: ReadSide['wait'] = async (position, projections) =>
    position !== null && shut !== null && comparePositions(position, shut.position) >= 0
      ? 'pending'
      : await reads.wait(position, projections)

  const putOff = (lane: string, { position, projections }: ReadSideBehind): Deferral => {
    if (shut === null) shut = { position, projections: new Set(projections), lanes: new Set() }
    else for (const name of projections) shut.projections.add(name)
    if (shut.lanes.size < MAX_LANES) shut.lanes.add(lane)
    if (!isOpening) opening = open().catch(options.onFault)
    return { type: 'Deferred', inMs: netMs, counts: false, deferredFor: 'read_side_behind' }
  }

  const open = async (): Promise<void> => {
    isOpening = true
    try {
      while (shut !== null && !signal.aborted) {
        const { position, projections } = shut
        if ((await reads.wait(position, [...projections])) === 'visible') await releaseTwice([...(shut?.lanes ?? [])])
        else await pause(AGAIN_MS, signal, { ref: false })
      }
    } finally {
      isOpening = false
    }
  }

  /** A job that is put off while this goes on begins the next round. */
  const releaseTwice = async (lanes: readonly string[]): Promise<void> => {
    shut = null
    for (let pass = 0; pass < 2 && !signal.aborted; pass++) {
      if (pass > 0) await pause(AGAIN_MS, signal, { ref: false })
      if ((await release(options, lanes)) > 0) options.onReleased()
    }
  }

  return {
    require: (position, projections) => requireShown({ wait }, position, projections),
    requireAsOfNow: async (decision, projections) => {
      await requireShown({ wait }, await asked.of(decision), projections)
      asked.forget(decision)
    },
    guard: (laneOf, work) => async (job, lease, ending) => {
      try {
        return await work(job, lease, ending)
      } catch (error) {
        if (error instanceof ReadSideBehind) return putOff(laneOf(job), error)
        throw error
      }
    },
    stop: async () => {
      stopping.abort()
      await opening
    },
  }
}

const release = async ({ pool, kind }: ReadGateOptions, lanes: readonly string[]): Promise<number> => {
  let released = 0
  for (let from = 0; from < lanes.length; from += LANES_AT_ONCE)
    released += await makeLanesDue(pool, kind, lanes.slice(from, from + LANES_AT_ONCE), 'read_side_behind')
  return released
}
