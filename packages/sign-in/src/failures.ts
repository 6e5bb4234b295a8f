import { createHash } from 'node:crypto'
import { Refused } from '@tidings/domain'
import type { Pool } from 'pg'

/** A sign-in that counts as failed until it is given back. */
type CountedSignIn = Readonly<{ giveBack: () => Promise<void> }>

/** Counts failed sign-ins over all processes. */
export type Failures = Readonly<{
  /** Counts one of `whom` before its password is checked, so that guesses made at once cannot pass together. Refuses with the seconds to wait. */
  take: (whom: string) => Promise<CountedSignIn>
}>

const TAKE = { name: 'sign_in_take', text: 'select counted_at::float8, retry_ms::float8 from ops.take_sign_in($1, $2, $3)' }
const GIVE_BACK = {
  name: 'sign_in_give_back',
  text: 'update ops.sign_in_failure set failed = array_remove(failed, $2::bigint) where whom = $1',
}
const EXPIRE = `delete from ops.sign_in_failure where ctid = any (array(
  select ctid from ops.sign_in_failure where last_at <= ops.now_ms() - $2::bigint order by last_at limit $1 for update skip locked))`

/** M40. The window slides, and a refused sign-in is not counted: however many a stranger tries, the oldest failure is over after 15 minutes. */
const FAILURES = 10
const WINDOW_MS = 15 * 60_000

type FailureRow = Readonly<{ counted_at: number | null; retry_ms: number | null }>

/** The table `ops.sign_in_failure`; the function `ops.take_sign_in` says what is promised. `whom` is hashed: what somebody typed into a form is not kept. */
export function createFailures(pool: Pool): Failures {
  return {
    take: async (whom) => {
      const key = createHash('sha256').update(whom).digest()
      const { rows } = await pool.query<FailureRow>({ ...TAKE, values: [key, FAILURES, WINDOW_MS] })
      const { counted_at: countedAt, retry_ms: retryMs } = rows[0] ?? { counted_at: null, retry_ms: WINDOW_MS }
      if (countedAt === null)
        throw new Refused('login_slowed', { retryAfterSeconds: Math.max(1, Math.ceil((retryMs ?? WINDOW_MS) / 1_000)) })
      return {
        giveBack: async () => {
          await pool.query({ ...GIVE_BACK, values: [key, countedAt] })
        },
      }
    },
  }
}

/** Retention job: removes at most `limit` counts whose time is over. */
export async function deleteOldFailures(pool: Pool, limit: number): Promise<number> {
  return (await pool.query(EXPIRE, [limit, WINDOW_MS])).rowCount ?? 0
}
