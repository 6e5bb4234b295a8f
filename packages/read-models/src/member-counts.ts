import type { Pool } from 'pg'

/** `total`: all members of the list; `among`: how many of the given contacts are. Of one moment of the read side. */
export type MemberCounts = Readonly<{ total: number; among: number }>

const SQL = `select
  coalesce((select total from read.list_totals where workspace_id = $1 and list_id = $2), 0)::int as total,
  (select count(*) from unnest($3::uuid[]) named(contact_id)
    join read.list_members m on m.workspace_id = $1 and m.list_id = $2 and m.contact_id = named.contact_id)::int as among`

type MembersOf = Readonly<{ workspaceId: string; listId: string; contactIds: readonly string[] }>

/** One statement, so that the two numbers belong together. Each id may stand in `contactIds` once. */
export const memberCounts =
  (pool: Pool) =>
  async ({ workspaceId, listId, contactIds }: MembersOf): Promise<MemberCounts> => {
    const { rows } = await pool.query<MemberCounts>({ name: 'member counts', text: SQL, values: [workspaceId, listId, contactIds] })
    return rows[0] ?? { total: 0, among: 0 }
  }
