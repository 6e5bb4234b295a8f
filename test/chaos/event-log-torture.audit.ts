import type { Pool } from 'pg'
import type { Acked } from './event-log-torture.messages.ts'

/** Events, unless said otherwise. Everything but `acked`, `inTable` and `seen` has to be 0. */
export type Audit = Readonly<{
  acked: number
  inTable: number
  seen: number
  lost: number
  /** Acknowledged, and in the table at another stream, revision or position than acknowledged. */
  elsewhere: number
  /** Positions between 1 and the last that no event has. */
  holes: number
  /** Streams whose revisions are not 0, 1, 2, … */
  revisionGaps: number
  /** Events whose position or time is not behind that of the revision before. */
  orderViolations: number
  /** Places where what the subscriber saw differs from the table. */
  seenOtherwise: number
}>

type SeenEvent = Readonly<{ stream: string; revision: number; position: bigint }>
type LogRow = Readonly<{ event_id: string; stream_id: string; revision: number; position: bigint }>

export async function audit(pool: Pool, acked: readonly Acked[], seen: readonly SeenEvent[]): Promise<Audit> {
  const { rows } = await pool.query<LogRow>('select event_id, stream_id, revision, position from es.event order by position')
  return {
    acked: acked.reduce((total, append) => total + append.ids.length, 0),
    inTable: rows.length,
    seen: seen.length,
    ...compare(rows, acked),
    ...(await shape(pool)),
    seenOtherwise: Math.abs(rows.length - seen.length) + seen.filter((event, n) => differs(event, rows[n])).length,
  }
}

const differs = (event: SeenEvent, row: LogRow | undefined): boolean =>
  event.position !== row?.position || event.stream !== row.stream_id || event.revision !== row.revision

const compare = (rows: readonly LogRow[], acked: readonly Acked[]): Pick<Audit, 'lost' | 'elsewhere'> => {
  const stored = new Map(rows.map((row) => [row.event_id, row]))
  let lost = 0
  let elsewhere = 0
  for (const { ids, stream, revision, position } of acked) {
    for (const [n, id] of ids.entries()) {
      const back = ids.length - 1 - n
      const row = stored.get(id)
      if (row === undefined) lost += 1
      else if (differs({ stream, revision: revision - back, position: BigInt(position) - BigInt(back) }, row)) elsewhere += 1
    }
  }
  return { lost, elsewhere }
}

const shape = async (pool: Pool): Promise<Pick<Audit, 'holes' | 'revisionGaps' | 'orderViolations'>> => {
  const { rows } = await pool.query<{ holes: number; gaps: number; violations: number }>(`
    select (select coalesce(max(position), 0) - count(*) from es.event)::int as holes,
           (select count(*) from (select 1 from es.event group by stream_id having max(revision) + 1 <> count(*) or min(revision) <> 0) s)::int as gaps,
           (select count(*) from (
              select position - lag(position) over stream as step, created < lag(created) over (order by position) as back
              from es.event window stream as (partition by stream_id order by revision)) e where step <= 0 or back)::int as violations`)
  const [{ holes, gaps, violations } = { holes: -1, gaps: -1, violations: -1 }] = rows
  return { holes, revisionGaps: gaps, orderViolations: violations }
}
