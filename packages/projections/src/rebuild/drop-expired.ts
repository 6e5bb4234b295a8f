import { transaction } from '@tidings/postgres'
import type { Pool } from 'pg'
import { type Beside, forgetBuilt } from './built.ts'
import { dropNamed } from './next-tables.ts'

type ExpiredRow = Dropped & Readonly<{ tables: readonly string[] }>

export type Dropped = Readonly<{ projection: string; generation: Beside }>

/**
 * Drops tables of one projection that stand beside its live ones past their time: those that a swap took out a day ago, those that were built
 * a week ago and not swapped in, and those of a rebuild that was killed. Answers which; null where there are none. One process drops them,
 * of however many call this; tables that are being built, compared or swapped stay.
 */
export async function dropExpired(pool: Pool): Promise<Dropped | null> {
  return await transaction(pool, async (tx) => {
    const { rows } = await tx.query<ExpiredRow>(
      `select projection, generation, tables from ops.projection_build where expires_at < clock_timestamp()
         and pg_try_advisory_xact_lock(hashtextextended('rebuild ' || projection, 0))
       order by expires_at limit 1 for update skip locked`,
    )
    const [expired] = rows
    if (expired === undefined) return null
    const { projection, generation, tables } = expired
    await tx.query(`set local lock_timeout = '2s'`)
    await dropNamed(tx, tables)
    await forgetBuilt(tx, projection, generation)
    return { projection, generation }
  })
}
