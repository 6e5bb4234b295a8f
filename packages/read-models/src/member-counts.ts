import { type Kysely, sql } from 'kysely'
import type { ReadModels } from './tables.ts'

/** `total`: all members of the list; `among`: how many of the given contacts are. Of one moment of the read side. */
export type MemberCounts = Readonly<{ total: number; among: number }>

type MembersOf = Readonly<{ workspaceId: string; listId: string; contactIds: readonly string[] }>

/** One statement, so that the two numbers belong together. Each id may stand in `contactIds` once. */
export const memberCounts =
  (db: Kysely<ReadModels>) =>
  async ({ workspaceId, listId, contactIds }: MembersOf): Promise<MemberCounts> => {
    const { total, among } = await db
      .withSchema('read')
      .selectNoFrom(({ selectFrom, fn }) => [
        selectFrom('list_totals').select('total').where('workspace_id', '=', workspaceId).where('list_id', '=', listId).as('total'),
        selectFrom('list_members')
          .select(fn.countAll<bigint>().as('among'))
          .where('workspace_id', '=', workspaceId)
          .where('list_id', '=', listId)
          .where('contact_id', '=', sql<string>`any(${contactIds}::uuid[])`)
          .as('among'),
      ])
      .executeTakeFirstOrThrow()
    return { total: Number(total ?? 0n), among: Number(among ?? 0n) }
  }
