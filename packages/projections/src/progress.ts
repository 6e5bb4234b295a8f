import { comparePositions, type Position, START } from '@tidings/event-store'
import type { Failure } from './follow/failure.ts'

/**
 * starting → waiting (another process owns it) → catching up ⇄ live; retrying (the store is away), rebuilding (a new version is
 * being built), superseded (the database holds a newer version), failed (needs a person), stopped.
 */
export type ProjectionState =
  | 'starting'
  | 'waiting'
  | 'catching up'
  | 'live'
  | 'retrying'
  | 'rebuilding'
  | 'superseded'
  | 'failed'
  | 'stopped'

/** `heardAt`: when the owner last knew that it owns the projection and that its database answers, in `performance.now()` ms. */
type ProjectionProgress = Readonly<{
  state: ProjectionState
  position: Position
  heardAt: number
  parked: ReadonlySet<string>
  failure: Failure | null
  lagEvents: bigint | null
  lagSeconds: number | null
}>

/** What the projections of this process have reached, without asking the database. One per process, shared with its read side. */
export type Progress = Readonly<{
  of: (projection: string) => ProjectionProgress | undefined
  all: () => ReadonlyMap<string, ProjectionProgress>
  report: (projection: string, change: Partial<ProjectionProgress>) => void
  /** `listener` runs after each change; it must not throw. Returns what takes it off again. */
  onChange: (listener: (projection: string, progress: ProjectionProgress) => void) => () => void
  /** A caller of this process waits for the projection, until what it returns is called. */
  await: (projection: string) => () => void
  isAwaited: (projection: string) => boolean
  /** `listener` runs when a wait for the projection begins; it must not throw. Returns what takes it off again. */
  onAwaited: (projection: string, listener: () => void) => () => void
}>

const NOTHING: ProjectionProgress = {
  state: 'starting',
  position: START,
  heardAt: Number.NEGATIVE_INFINITY,
  parked: new Set(),
  failure: null,
  lagEvents: null,
  lagSeconds: null,
}

export function createProgress(): Progress {
  const known = new Map<string, ProjectionProgress>()
  const listeners = new Set<(projection: string, progress: ProjectionProgress) => void>()
  const waiting = new Map<string, number>()
  const awaiting = new Map<string, () => void>()
  return {
    of: (projection) => known.get(projection),
    all: () => known,
    report: (projection, change) => {
      const now = { ...(known.get(projection) ?? NOTHING), ...change }
      known.set(projection, now)
      for (const listener of listeners) listener(projection, now)
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    await: (projection) => {
      waiting.set(projection, (waiting.get(projection) ?? 0) + 1)
      awaiting.get(projection)?.()
      return () => waiting.set(projection, (waiting.get(projection) ?? 1) - 1)
    },
    isAwaited: (projection) => (waiting.get(projection) ?? 0) > 0,
    onAwaited: (projection, listener) => {
      awaiting.set(projection, listener)
      return () => {
        if (awaiting.get(projection) === listener) awaiting.delete(projection)
      }
    },
  }
}

/** Whether everything up to `position` is in the tables. */
export function hasReached(reached: Position, position: Position): boolean {
  return comparePositions(reached, position) >= 0
}
