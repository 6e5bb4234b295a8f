import type { Position } from '@tidings/event-store'
import { transaction } from '@tidings/postgres'
import type { Pool } from 'pg'
import type { AnyProjection } from '../projection.ts'
import { plainName } from '../sql/ddl.ts'
import { type Beside, readBuilt } from './built.ts'
import { dropExpired } from './drop-expired.ts'
import { dropNamed } from './next-tables.ts'

const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Ends the time of all tables beside the live ones that do not hold the log up to `position`: none of them can be swapped in, nor brought back.
 * They are dropped at once, together with the tables of killed rebuilds. A later `dropExpired` drops those that are being read or swapped now.
 * Answers how many builds there were.
 */
export async function dropBeside(pool: Pool, projections: readonly AnyProjection[], { commit, prepare }: Position): Promise<number> {
  const { rowCount } = await pool.query(
    `update ops.projection_build set expires_at = clock_timestamp()
     where projection = any ($1) and (position_commit, position_prepare) < ($2::bigint, $3::bigint)
       and (expires_at is null or expires_at > clock_timestamp())`,
    [projections.map(({ name }) => name), commit, prepare],
  )
  try {
    for (const projection of projections) await dropLeftOver(pool, projection)
    while ((await dropExpired(pool)) !== null);
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
  }
  return rowCount ?? 0
}

/**
 * The tables beside the live ones that do not hold the log up to `position` and could not be dropped: somebody reads them, or a rebuild has
 * the lock of their projection.
 */
export async function tablesBeside(
  pool: Pool,
  projections: readonly AnyProjection[],
  { commit, prepare }: Position,
): Promise<readonly string[]> {
  const own = projections.flatMap(({ tables }) => tables.flatMap((table) => BESIDE.map((generation) => plainName(table, generation))))
  const { rows } = await pool.query<{ table: string }>(
    `select c.relname as table from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'read' and c.relkind = 'r'
       and (c.relname = any ($1) or exists (select from ops.projection_build b where b.projection = any ($2) and c.relname = any (b.tables)))
       and not exists (select from ops.projection_build b
         where c.relname = any (b.tables) and (b.position_commit, b.position_prepare) >= ($3::bigint, $4::bigint))
     order by 1`,
    [own, projections.map(({ name }) => name), commit, prepare],
  )
  return rows.map(({ table }) => `read.${table}`)
}

const BESIDE = ['next', 'previous'] as const satisfies readonly Beside[]

/** Tables that are being built, or are noted as built, stay. */
const dropLeftOver = (pool: Pool, projection: AnyProjection): Promise<void> =>
  transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ taken: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken', [
      `rebuild ${projection.name}`,
    ])
    if (rows[0]?.taken !== true) return
    await tx.query(`set local lock_timeout = '2s'`)
    for (const generation of BESIDE) {
      if ((await readBuilt(tx, projection.name, generation)) !== null) continue
      const tables = projection.tables.map((table) => plainName(table, generation))
      await dropNamed(tx, tables)
    }
  })
