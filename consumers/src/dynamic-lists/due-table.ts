import type { ContactId, WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { Admission } from '@tidings/jobs'
import { transaction } from '@tidings/postgres'
import type { ClientBase, Pool } from 'pg'
import { afterHead, REVIEW_SEQ, reviewJob } from './review.ts'

export type Due = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; dueAt: number }>

/**
 * Notes when time may move these contacts. An earlier moment that is known stays: what comes due too early is reviewed and noted anew, and
 * most changes of a contact write nothing here.
 */
export async function putDue(on: Pool | ClientBase, due: readonly Due[]): Promise<void> {
  if (due.length === 0) return
  await on.query({
    name: 'lists-put-due',
    text: `insert into lists.due (workspace_id, contact_id, due_at)
           select w, c, to_timestamp(d / 1000.0) from unnest($1::uuid[], $2::uuid[], $3::float8[]) u(w, c, d) order by w, c
           on conflict (workspace_id, contact_id) do update set due_at = excluded.due_at where lists.due.due_at > excluded.due_at`,
    values: [due.map(({ workspaceId }) => workspaceId), due.map(({ contactId }) => contactId), due.map(({ dueAt }) => dueAt)],
  })
}

/** The time at which the first contact is due, in ms since 1970. */
export const FIRST_DUE = 'select extract(epoch from min(due_at)) * 1000 from lists.due'

/** Whether a contact is due. */
export async function isAnyDue(pool: Pool, now: number): Promise<boolean> {
  const { rows } = await pool.query<{ due: boolean }>({
    name: 'lists-any-due',
    text: 'select exists (select from lists.due where due_at <= to_timestamp($1::float8 / 1000.0)) as due',
    values: [now],
  })
  return rows[0]?.due === true
}

type DueContactRow = Readonly<{ workspace_id: WorkspaceId; contact_id: ContactId; seq: string }>

/** Admits a review of every contact that is due, at most `limit`, once reads show `head`; answers how many. A crash does both or neither. */
export async function moveDue(
  pool: Pool,
  { now, limit, head, admit }: Readonly<{ now: number; limit: number; head: Position; admit: Admission }>,
): Promise<number> {
  let committed: () => void = () => undefined
  const moved = await transaction(pool, async (tx) => {
    const { rows } = await tx.query<DueContactRow>({
      name: 'lists-move-due',
      text: `delete from lists.due where ctid = any (array(
               select ctid from lists.due where due_at <= to_timestamp($1::float8 / 1000.0) order by due_at limit $2 for update skip locked))
             returning workspace_id, contact_id, ${REVIEW_SEQ} as seq`,
      values: [now, limit],
    })
    const jobs = rows.map(({ workspace_id, contact_id, seq }) =>
      reviewJob(workspace_id, BigInt(seq), { contactId: contact_id, lists: 'timed', reason: 'time', prepare: null, ...afterHead(head) }),
    )
    if (jobs.length > 0) committed = await admit(tx, jobs)
    return rows.length
  })
  committed()
  return moved
}
