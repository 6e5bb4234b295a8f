import type { ReadinessCheck } from '@tidings/http'
import { transaction } from '@tidings/postgres'
import type { Pool } from 'pg'

/** A check of readiness has 2 s, and so has an append for this lock. */
const WAIT = '1500ms'
const LOCK_NOT_AVAILABLE = '55P03'

const HOLDER = `
  select coalesce(nullif(a.application_name, ''), 'a connection') as name, a.pid
  from pg_locks l left join pg_stat_activity a using (pid) where l.relation = 'es.append_lock'::regclass and l.granted limit 1`

/** Goes the way of an append as far as its lock: a log that can be read and not be written is not ready. */
export function logTakesWrites(pool: Pool): ReadinessCheck {
  return async () => {
    try {
      await transaction(pool, async (tx) => {
        await tx.query(`set local lock_timeout = '${WAIT}'`)
        await tx.query('select es.lock()')
      })
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
      const { rows } = await pool.query<{ name: string; pid: number }>(HOLDER)
      const holder = rows[0] === undefined ? '' : ` by ${rows[0].name} (process ${rows[0].pid} of Postgres)`
      throw new Error(`nothing can be written: the lock of the log is held${holder}`)
    }
  }
}
