import type { LogFollower } from '@tidings/commands'
import type { ReadinessCheck } from '@tidings/http'
import type { Progress, ProjectionState } from '@tidings/projections'
import { projections } from '@tidings/projectors'
import type { Pool } from 'pg'

/** What `/health/ready` asks before it says yes, by the name it gives what is missing. */
export type Checks = Readonly<Record<string, ReadinessCheck>>

export const databaseAnswers = (pool: Pool): ReadinessCheck => {
  return async () => {
    await pool.query('select 1')
  }
}

/** Decisions lean on caches that follow the log. */
export const logIsHeard = (follower: LogFollower): ReadinessCheck => {
  return async () => {
    if (!follower.isFresh()) throw new Error('the event log has not been heard for a second')
  }
}

/** The tables of the read side are made by whoever runs the projections first. */
export const readModelsExist = (pool: Pool): ReadinessCheck => {
  const names = projections.map(({ name }) => name)
  return async () => {
    const { rows } = await pool.query<{ projection: string }>('select projection from ops.projection_checkpoint')
    const made = new Set(rows.map(({ projection }) => projection))
    const missing = names.filter((name) => !made.has(name))
    if (missing.length > 0) throw new Error(`no tables yet of ${missing.join(', ')}: start a process with the role projectors`)
  }
}

const AT_REST = new Set<ProjectionState>(['live', 'waiting', 'superseded'])

/** The projections that were live, and have done nothing since but follow the log. */
const thoseThatCaughtUp = (progress: Progress): ReadonlySet<string> => {
  const caughtUp = new Set<string>()
  const note = (name: string, { state }: Readonly<{ state: ProjectionState }>): void => {
    if (state === 'live') caughtUp.add(name)
    else if (state !== 'catching up') caughtUp.delete(name)
  }
  for (const [name, known] of progress.all()) note(name, known)
  progress.onChange(note)
  return caughtUp
}

/**
 * Every projection is up to date here, or stands by for its owner elsewhere. One that falls behind under load is no reason: it was ready,
 * and is again only looked at when it has started anew, as after an outage.
 */
export const projectionsFollow = (progress: Progress): ReadinessCheck => {
  const caughtUp = thoseThatCaughtUp(progress)
  return async () => {
    const busy = projections.flatMap(({ name }) => {
      const known = progress.of(name)
      if (known !== undefined && (AT_REST.has(known.state) || caughtUp.has(name))) return []
      return [`${name} is ${known?.state ?? 'starting'}${known?.lagEvents ? `, ${known.lagEvents} events behind` : ''}`]
    })
    if (busy.length > 0) throw new Error(busy.join('; '))
  }
}
