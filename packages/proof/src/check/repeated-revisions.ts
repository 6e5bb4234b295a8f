import type { Pool } from 'pg'

type RepeatedRevisionRow = Readonly<{ stream_id: string; revision: number; events: string }>

/** The pairs come from the index alone, where the table has it; the table has it unless somebody took it away, or put events beside it. */
const REPEATED = `
  with twice as (select stream_id, revision from es.event group by stream_id, revision having count(*) > 1 limit 101)
  select t.stream_id, t.revision, string_agg(e.name, ' and ' order by e.position) as events
  from twice t cross join lateral (
    select position, format('the event %s (%s, position %s)', event_id, type, position) as name from es.event
    where stream_id = t.stream_id and revision = t.revision order by position limit 2) e
  group by t.stream_id, t.revision order by t.stream_id, t.revision`

/**
 * Events that have one number in one stream, in a sentence each: an export can show either, and an auditor of it cannot know of the other. Only
 * who has the whole log finds them (ADR 34).
 */
export async function repeatedRevisions(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<RepeatedRevisionRow>(REPEATED)
  return rows.map(
    ({ stream_id, revision, events }) =>
      `Stream ${stream_id} has more than one event of revision ${revision}: ${events}. An export may show the one and hide the other.`,
  )
}
