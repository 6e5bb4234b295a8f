import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Queryable } from '../sql/load-rows.ts'

export type RedriveResult = Readonly<{ redriven: boolean; error: string | null }>

const POLL_MS = 50

/**
 * Asks the projection's owner to apply a parked stream again, and waits for its answer (10 s by default). `redriven` is false with
 * the error that still stands. Throws when the stream is not parked, or when no owner answers in time.
 */
export async function redrive(
  pool: Pool,
  target: Readonly<{ projection: string; stream: string }>,
  timeoutMs = 10_000,
): Promise<RedriveResult> {
  const asked = await pool.query(
    'update ops.parked_stream set redrive_requested_at = clock_timestamp() where projection = $1 and stream = $2',
    [target.projection, target.stream],
  )
  if (asked.rowCount === 0) throw new Error(`Stream ${target.stream} is not parked in projection ${target.projection}.`)
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await sleep(POLL_MS)) {
    const { rows } = await pool.query<{ error: string; waiting: boolean }>(
      'select error, redrive_requested_at is not null as waiting from ops.parked_stream where projection = $1 and stream = $2',
      [target.projection, target.stream],
    )
    if (rows[0] === undefined) return { redriven: true, error: null }
    if (!rows[0].waiting) return { redriven: false, error: rows[0].error }
  }
  throw new Error(`No running process owns projection ${target.projection}: start the service, then re-drive again.`)
}

/** The answer to a re-drive that failed again. */
export async function recordRedriveFailure(
  db: Queryable,
  projection: string,
  failed: Readonly<{ stream: string; error: string }>,
): Promise<void> {
  await db.query('update ops.parked_stream set error = $3, redrive_requested_at = null where projection = $1 and stream = $2', [
    projection,
    failed.stream,
    failed.error,
  ])
}
