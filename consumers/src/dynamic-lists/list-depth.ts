import type { Pool } from 'pg'

/** `runs`: rules that are being brought to all contacts; `contacts`: how many these have passed; `dueSeconds`: how late the oldest due review is. */
export type ListDepth = Readonly<{ runs: number; contacts: number; dueSeconds: number }>

/** Counts the waiting work of the whole installation. */
export async function listDepth(pool: Pool): Promise<ListDepth> {
  const { rows } = await pool.query<ListDepth>(
    `select count(*)::int as runs, coalesce(sum(contacts), 0)::float8 as contacts,
       (select greatest(0, extract(epoch from clock_timestamp() - due_at))::float8 from lists.due order by due_at limit 1) as "dueSeconds"
     from lists.run where finished_at is null`,
  )
  const [depth] = rows
  return { runs: depth?.runs ?? 0, contacts: depth?.contacts ?? 0, dueSeconds: depth?.dueSeconds ?? 0 }
}
