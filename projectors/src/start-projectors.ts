import { randomUUID } from 'node:crypto'
import type { EventLog } from '@tidings/codec'
import { type AnyProjection, createProgress, type Progress, type RebuildThreads, runProjection } from '@tidings/projections'
import type { Pool } from 'pg'
import { projections } from './projections.ts'

export type ProjectorsOptions = Readonly<{
  log: EventLog
  /** The pool: at least two connections more than the process otherwise needs. Each projection uses one at a time. */
  pool: Pool
  /** Share it with the read side of the same process. */
  progress?: Progress
  /** Those that may build a new version of a projection's tables. */
  threads?: () => RebuildThreads | undefined
  /** Hears of every failure when it begins. */
  onFailure?: (projection: string, error: unknown) => void
}>

/** `stop` resolves when every batch under way is written and every lease is free. */
export type Projectors = Readonly<{ progress: Progress; stop: () => Promise<void> }>

/** Runs every projection; those that another process owns wait for their turn. */
export function startProjectors({ log, pool, progress = createProgress(), ...options }: ProjectorsOptions): Projectors {
  const owner = randomUUID()
  const running = projections.map((projection) => runProjection({ projection, log, pool, progress, owner, ...options }))
  return {
    progress,
    stop: async () => {
      await Promise.all(running.map(({ stop }) => stop()))
    },
  }
}

/** Throws one sentence that names what there is, for `projection rebuild NAME`. */
export function projectionNamed(name: string): AnyProjection {
  const found = projections.find((projection) => projection.name === name)
  if (found === undefined) throw new Error(`There is no projection ${name}: there are ${projections.map((one) => one.name).join(', ')}.`)
  return found
}
