import type { Pool } from 'pg'
import type { EventToAppend } from '../port.ts'
import { textArray, uuidArray } from './binary-array.ts'

/** Puts them beside the log, as `$ids` and `$traceparents`; the first of an event stays. */
export function insertTraces(ids: number, traceparents: number): string {
  return `insert into es.event_trace (id, traceparent) select * from unnest($${ids}::uuid[], $${traceparents}::text[]) on conflict do nothing`
}

/** The values for `insertTraces`; null where no event belongs to a trace. */
export function traceValues(events: readonly EventToAppend[]): readonly [ids: Buffer, traceparents: Buffer] | null {
  const rows = events.flatMap(({ id, trace }) => (trace ? [id, ...trace.ids].map((one) => ({ id: one, text: trace.traceparent })) : []))
  return rows.length === 0 ? null : [uuidArray(rows.map(({ id }) => id)), textArray(rows.map(({ text }) => text))]
}

/** For a log that lies elsewhere, before its append. */
export async function saveTraces(pool: Pool, events: readonly EventToAppend[]): Promise<void> {
  const values = traceValues(events)
  if (values !== null) await pool.query({ name: 'es-trace-save', text: insertTraces(1, 2), values: [...values] })
}

/** `traceparent` of those of the events, or messages, that belong to a trace. */
export async function tracesOf(pool: Pool, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await pool.query<{ id: string; traceparent: string }>({
    name: 'es-trace-of',
    text: 'select id::text, traceparent from es.event_trace where id = any ($1::uuid[])',
    values: [uuidArray(ids)],
  })
  return new Map(rows.map(({ id, traceparent }) => [id, traceparent]))
}

/** Work that comes later than that is recorded in no trace of before: receipts, the last tries of a message. */
const KEPT = '1 day'

/** Deletes at most `batch` rows whose time is over; answers how many. */
export async function forgetTraces(pool: Pool, batch: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from es.event_trace where id in (
       select id from es.event_trace where at < clock_timestamp() - interval '${KEPT}' order by at limit $1 for update skip locked)`,
    [batch],
  )
  return rowCount ?? 0
}
