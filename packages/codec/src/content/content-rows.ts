import type { WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'

export type ContentRef = Readonly<{ workspaceId: WorkspaceId; id: string }>
export type ContentRow = ContentRef & Readonly<{ subject: string; sealed: Buffer }>

// A repeated batch finds its own rows: ids are made by the writer.
const INSERT = `
insert into ops.content (workspace_id, id, subject, sealed)
select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[]) on conflict do nothing`

const READ = `
select w.n::int, c.subject, c.sealed
from unnest($1::uuid[], $2::uuid[]) with ordinality w(workspace_id, id, n) join ops.content c using (workspace_id, id)`

const DELETE = `
delete from ops.content where (workspace_id, id) in (
  select workspace_id, id from ops.content where created_at < now() - make_interval(days => $1)
  order by created_at limit $2 for update skip locked)`

type Found = Readonly<{ n: number; subject: string; sealed: Buffer }>

/** The rows of `ops.content`; one statement a call. */
export function contentRows(pool: Pool) {
  return {
    insert: async (rows: readonly ContentRow[]): Promise<void> => {
      const values = [
        rows.map((row) => row.workspaceId),
        rows.map((row) => row.id),
        rows.map((row) => row.subject),
        rows.map((row) => row.sealed),
      ]
      await pool.query({ name: 'content_insert', text: INSERT, values })
    },
    /** The rows in the order of `refs`, null where there is none. */
    read: async (refs: readonly ContentRef[]): Promise<readonly (ContentRow | null)[]> => {
      const values = [refs.map((ref) => ref.workspaceId), refs.map((ref) => ref.id)]
      const { rows } = await pool.query<Found>({ name: 'content_read', text: READ, values })
      const found = new Map(rows.map((row) => [row.n - 1, row]))
      return refs.map((ref, n) => {
        const row = found.get(n)
        return row ? { ...ref, subject: row.subject, sealed: row.sealed } : null
      })
    },
    deleteOf: async (workspaceId: WorkspaceId, subject: string): Promise<number> =>
      (await pool.query('delete from ops.content where workspace_id = $1 and subject = $2', [workspaceId, subject])).rowCount ?? 0,
    deleteOlderThan: async (days: number, limit: number): Promise<number> => (await pool.query(DELETE, [days, limit])).rowCount ?? 0,
  }
}
