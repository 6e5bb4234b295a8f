import { transaction } from '@tidings/postgres'
import type { Pool } from 'pg'
import { dropNamed } from './next-tables.ts'

type Row = Readonly<{ projection: string; tables: readonly string[] }>

/**
 * Drops the tables of one projection that a swap took out more than a day ago, and answers which; null where there are none. One process drops
 * them, of however many call this; tables that are being swapped back stay.
 */
export async function dropPrevious(pool: Pool): Promise<string | null> {
  return await transaction(pool, async (tx) => {
    const { rows } = await tx.query<Row>(
      `select projection, tables from ops.projection_build where generation = 'previous' and expires_at < clock_timestamp()
         and pg_try_advisory_xact_lock(hashtextextended('rebuild ' || projection, 0))
       order by expires_at limit 1 for update skip locked`,
    )
    const [expired] = rows
    if (expired === undefined) return null
    await tx.query(`set local lock_timeout = '2s'`)
    await dropNamed(tx, expired.tables)
    await tx.query(`delete from ops.projection_build where projection = $1 and generation = 'previous'`, [expired.projection])
    return expired.projection
  })
}
