import type { Pool } from 'pg'

/** `waiting` counts every job of the kind, also those at work; `oldestSeconds` is the age of the one admitted first. */
export type Depth = Readonly<{ kind: string; waiting: number; retrying: number; oldestSeconds: number }>

/** How much waits, per kind that has any. Reads the whole table of waiting jobs: for a metrics scrape, not for a loop. */
export async function inboxDepth(pool: Pool): Promise<readonly Depth[]> {
  const { rows } = await pool.query<Depth>(
    `select kind, count(*)::int as waiting, (count(*) filter (where attempt > 0))::int as retrying,
       greatest(0, extract(epoch from clock_timestamp() - min(admitted_at)))::float8 as "oldestSeconds"
     from inbox.job group by kind order by kind`,
  )
  return rows
}

/** Dead letters that wait for somebody, per consumer or kind. */
export async function openDeadLetters(pool: Pool): Promise<readonly Readonly<{ consumer: string; open: number }>[]> {
  const { rows } = await pool.query<{ consumer: string; open: number }>(
    `select consumer, count(*)::int as open from ops.dead_letter where state in ('open', 'redriving') group by consumer order by consumer`,
  )
  return rows
}
