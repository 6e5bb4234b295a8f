import type { ReadinessCheck } from '@tidings/http'
import type { Follower } from '@tidings/log-views'
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
export const logIsHeard = (follower: Pick<Follower, 'isFresh'>): ReadinessCheck => {
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
