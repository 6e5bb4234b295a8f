import type { Pool } from 'pg'
import type { LogCounts } from './kill-service.event-store.ts'
import type { Audited } from './kill-service.world.ts'

/** What the log and the tables beside it look like as a whole. All but `events` have to be 0. */
export type Shape = LogCounts & Readonly<{ sharedEmails: number; setAside: number }>

const TABLES = `
select (select count(*) from (select 1 from read.profiles where email is not null group by workspace_id, email having count(*) > 1) s)::int as "sharedEmails",
  (select count(*) from ops.parked_stream)::int + (select count(*) from ops.dead_letter)::int as "setAside"`

const LOG = `
select (select count(*) from es.event)::int as events,
  (select coalesce(max(position), 0) - count(*) from es.event)::int as holes,
  (select count(*) from (select 1 from es.event group by stream_id having max(revision) + 1 <> count(*) or min(revision) <> 0) s)::int as "revisionGaps",
  (select count(*) - count(distinct event_id) from es.event)::int as "repeatedIds"`

const only = async <Row extends object>(pool: Pool, sql: string): Promise<Row> => {
  const { rows } = await pool.query<Row>(sql)
  if (rows[0] === undefined) throw new Error('nothing can be counted')
  return rows[0]
}

export async function shape({ eventStore }: Audited, pool: Pool): Promise<Shape> {
  return {
    ...(eventStore ? await eventStore.count() : await only<LogCounts>(pool, LOG)),
    ...(await only<Pick<Shape, 'sharedEmails' | 'setAside'>>(pool, TABLES)),
  }
}
