import type pg from 'pg'
import { StreamDeleted, WrongExpectedRevision } from '../errors.ts'
import type { ExpectedRevision, StreamLimits } from '../port.ts'
import { expectedCode } from './append-call.ts'
import { RAW } from './rows.ts'

/** Soft delete or tombstone under the store's lock. Throws WrongExpectedRevision, and StreamDeleted for what is a tombstone already. */
export async function deleteStream(pool: pg.Pool, stream: string, expected: ExpectedRevision, tombstone: boolean): Promise<void> {
  const { rows } = await pool.query<[string, string | null]>({
    text: 'select verdict, revision from es.delete_stream($1, $2, $3)',
    values: [stream, expectedCode(expected), tombstone],
    rowMode: 'array',
    types: RAW,
  })
  const [verdict, revision] = rows[0] ?? ['w', null]
  if (verdict === 'x') throw new StreamDeleted(`stream ${stream} is deleted`)
  if (verdict === 'w') throw new WrongExpectedRevision(stream, revision === null ? null : Number(revision))
}

/** Replaces all limits of the stream; what is left out is no longer limited. */
export async function setStreamLimits(pool: pg.Pool, stream: string, limits: StreamLimits): Promise<void> {
  await pool.query(
    `insert into es.stream_meta (stream_id, truncate_before, max_count, max_age_seconds) values ($1, $2, $3, $4)
     on conflict (stream_id) do update
     set truncate_before = excluded.truncate_before, max_count = excluded.max_count, max_age_seconds = excluded.max_age_seconds`,
    [stream, limits.truncateBefore ?? null, limits.maxCount ?? null, limits.maxAgeSeconds ?? null],
  )
}
