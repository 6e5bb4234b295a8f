import type { RuleFacts } from '@tidings/domain'
import { type Kysely, sql } from 'kysely'
import { forWorkspace } from './for-workspace.ts'
import type { ActivityFactsRow, ReadModels } from './tables.ts'
import { toRuleFacts } from './to-rule-facts.ts'

/** Contacts of one workspace after an id, in the order of ids, up to another (inclusive; null: all) and at most `limit`. */
export type FactPage = Readonly<{
  workspaceId: string
  after: string
  until: string | null
  limit: number
  listIds: readonly string[]
  events: readonly string[]
}>

export type PagedContact = Readonly<{ contactId: string; facts: RuleFacts; memberOf: ReadonlySet<string> }>

/** What rules ask of the contacts of a page: three ranges of primary keys. */
export async function factsOfPage(db: Kysely<ReadModels>, page: FactPage): Promise<readonly PagedContact[]> {
  const { workspaceId, after, until, limit } = page
  const query = forWorkspace(db, workspaceId).profiles().selectAll().where('id', '>', after).orderBy('id').limit(limit)
  const profiles = await (until === null ? query : query.where('id', '<=', until)).execute()
  const last = profiles.at(-1)?.id
  if (last === undefined) return []
  const [activities, members] = await Promise.all([activitiesUpTo(db, page, last), membersUpTo(db, page, last)])
  return profiles.map((row) => ({
    contactId: row.id,
    facts: toRuleFacts(row, activities.get(row.id) ?? []),
    memberOf: new Set((members.get(row.id) ?? []).map(({ list_id }) => list_id)),
  }))
}

const activitiesUpTo = async (db: Kysely<ReadModels>, { workspaceId, after, events }: FactPage, last: string) => {
  if (events.length === 0) return new Map<string, ActivityFactsRow[]>()
  const { rows } = await sql<ActivityFactsRow>`
    select * from read.activity_facts
    where workspace_id = ${workspaceId} and contact_id > ${after} and contact_id <= ${last} and event = any(${events}::text[])`.execute(db)
  return Map.groupBy(rows, ({ contact_id }) => contact_id)
}

const membersUpTo = async (db: Kysely<ReadModels>, { workspaceId, after, listIds }: FactPage, last: string) => {
  const { rows } = await sql<Readonly<{ list_id: string; contact_id: string }>>`
    select m.list_id, m.contact_id from unnest(${listIds}::uuid[]) l(id) cross join lateral (
      select list_id, contact_id from read.list_members
      where workspace_id = ${workspaceId} and list_id = l.id and contact_id > ${after} and contact_id <= ${last}) m`.execute(db)
  return Map.groupBy(rows, ({ contact_id }) => contact_id)
}
