import { transaction } from '@tidings/postgres'
import type { Pool } from 'pg'

type Statement = Readonly<{ text: string; values: string[] }>

/** A check of readiness has 2 s. */
const WAIT = '1500ms'
const LOCK_NOT_AVAILABLE = '55P03'

/** Takes a lock and lets it go; throws who has it where that takes too long. `holder`: finds the name and process of that one. */
export async function takesLock(
  pool: Pool,
  { lock, holder, what }: Readonly<{ lock: Statement; holder: Statement; what: string }>,
): Promise<void> {
  try {
    await transaction(pool, async (tx) => {
      await tx.query(`set local lock_timeout = '${WAIT}'`)
      await tx.query(lock)
    })
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error
    const { rows } = await pool.query<{ name: string; pid: number }>(holder)
    const by = rows[0] === undefined ? '' : ` by ${rows[0].name} (process ${rows[0].pid} of Postgres)`
    throw new Error(`${what} is taken${by}`)
  }
}
