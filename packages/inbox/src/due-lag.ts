import type { Pool } from 'pg'

/** The time for which the longest waiting job of a kind is due; 0 if none is. It costs one index probe a workspace. */
export async function dueLagSeconds(pool: Pool, kind: string): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    `with recursive visit(ws, first_due) as (
       (select workspace_id, due_at from inbox.job where kind = $1 and due_at is not null order by workspace_id, due_at limit 1)
       union all
       select n.* from visit v cross join lateral (
         select j.workspace_id, j.due_at from inbox.job j where j.kind = $1 and j.due_at is not null and j.workspace_id > v.ws
         order by j.workspace_id, j.due_at limit 1) n)
     select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(first_due))), 0)::float8 as seconds from visit`,
    [kind],
  )
  return rows[0]?.seconds ?? 0
}
