import { announceDue } from '@tidings/jobs'
import type { Pool } from 'pg'

/** Tells every process that what waits may be due, as they tell each other: what a table alone says is found by a look, seconds later. */
export async function announceWaiting(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ kind: string }>('select distinct kind from inbox.job')
  for (const { kind } of [...rows, { kind: 'campaigns' }]) announceDue(pool, kind)
}

/** Makes everything due that waits and that no process is at. */
export async function makeAllDue(pool: Pool): Promise<void> {
  await pool.query(`update inbox.job set due_at = now() - interval '1 s' where token is null and due_at is not null`)
  await announceWaiting(pool)
}
