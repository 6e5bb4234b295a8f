import { createBatchLoader } from '@tidings/async'
import type { ContactId, ListId, WorkspaceId } from '@tidings/domain'
import { type Kysely, sql } from 'kysely'
import type { ReadModels } from './tables.ts'

/** `total`: all members of the list; `among`: how many of the given contacts are. Both are from one snapshot of the read side. */
export type MemberCounts = Readonly<{ total: number; among: number }>

type MembersOf = Readonly<{ workspaceId: WorkspaceId; listId: ListId; contactIds: readonly ContactId[] }>

type MemberCountsRow = Readonly<{ total: bigint | null; among: bigint }>

const MAX_QUESTIONS = 64

/** One statement for what is asked in one turn, so that the two numbers belong together. Each id may stand in `contactIds` once. */
export function memberCounts(db: Kysely<ReadModels>): (members: MembersOf) => Promise<MemberCounts> {
  return createBatchLoader({
    load: async (asked: readonly MembersOf[]) => {
      const workspaces = asked.map(({ workspaceId }) => workspaceId)
      const lists = asked.map(({ listId }) => listId)
      const contacts = asked.map(({ contactIds }) => `{${contactIds}}`)
      const { rows } = await sql<MemberCountsRow>`
        select (select t.total from read.list_totals t where t.workspace_id = a.workspace_id and t.list_id = a.list_id) as total,
               (select count(*) from read.list_members m where m.workspace_id = a.workspace_id and m.list_id = a.list_id
                  and m.contact_id = any(a.contact_ids::uuid[])) as among
        from unnest(${workspaces}::uuid[], ${lists}::uuid[], ${contacts}::text[])
          with ordinality a(workspace_id, list_id, contact_ids, n)
        order by a.n`.execute(db)
      return new Map(asked.map((one, n) => [one, rows[n]]))
    },
    pick: (found, one) => {
      const row = found.get(one)
      return { total: Number(row?.total ?? 0n), among: Number(row?.among ?? 0n) }
    },
    maxKeys: MAX_QUESTIONS,
  })
}
