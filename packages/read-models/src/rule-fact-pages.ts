import type { ContactId, ListId, RuleFacts, WorkspaceId } from '@tidings/domain'
import { type Kysely, sql } from 'kysely'
import { forWorkspace } from './for-workspace.ts'
import type { ActivityFactsRow, ReadModels } from './tables.ts'
import { toRuleFacts } from './to-rule-facts.ts'

/** Contacts of one workspace after an id, in the order of ids, up to another (inclusive; null: all) and at most `limit`. */
export type FactPage = Readonly<{
  workspaceId: WorkspaceId
  after: ContactId
  until: ContactId | null
  limit: number
  listIds: readonly ListId[]
  events: readonly string[]
}>

/** `facts` null: a member without a profile, whose person was erased. */
export type PagedContact = Readonly<{ contactId: ContactId; facts: RuleFacts | null; memberOf: ReadonlySet<string> }>

/** What rules ask of the contacts of a page, members that have no profile included: ranges of primary keys. */
export async function factsOfPage(db: Kysely<ReadModels>, page: FactPage): Promise<readonly PagedContact[]> {
  const { workspaceId, after, until, limit } = page
  const query = forWorkspace(db, workspaceId).profiles().selectAll().where('id', '>', after).orderBy('id').limit(limit)
  const profiles = await (until === null ? query : query.where('id', '<=', until)).execute()
  const rows = new Map(profiles.map((row) => [row.id, row]))
  const gone = await withoutProfile(db, page, profiles.length < limit ? until : (profiles.at(-1)?.id ?? null))
  const ids = [...rows.keys(), ...gone].sort().slice(0, limit)
  const last = ids.at(-1)
  if (last === undefined) return []
  const [activities, members] = await Promise.all([activitiesUpTo(db, page, last), membersUpTo(db, page, last)])
  return ids.map((contactId) => {
    const row = rows.get(contactId)
    return {
      contactId,
      facts: row === undefined ? null : toRuleFacts(row, activities.get(contactId) ?? []),
      memberOf: new Set((members.get(contactId) ?? []).map(({ list_id }) => list_id)),
    }
  })
}

/** Members of the lists up to `last` (null: all) that have no profile, in the order of ids. */
const withoutProfile = async (db: Kysely<ReadModels>, { workspaceId, after, limit, listIds }: FactPage, last: ContactId | null) => {
  const { rows } = await sql<Readonly<{ id: ContactId }>>`
    select distinct m.contact_id as id from unnest(${listIds}::uuid[]) l(id) cross join lateral (
      select contact_id from read.list_members
      where workspace_id = ${workspaceId} and list_id = l.id and contact_id > ${after}
        and contact_id <= coalesce(${last}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')) m
    where not exists (select 1 from read.profiles p where p.workspace_id = ${workspaceId} and p.id = m.contact_id)
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

const activitiesUpTo = async (db: Kysely<ReadModels>, { workspaceId, after, events }: FactPage, last: ContactId) => {
  if (events.length === 0) return new Map<ContactId, ActivityFactsRow[]>()
  const { rows } = await sql<ActivityFactsRow>`
    select * from read.activity_facts
    where workspace_id = ${workspaceId} and contact_id > ${after} and contact_id <= ${last} and event = any(${events}::text[])`.execute(db)
  return Map.groupBy(rows, ({ contact_id }) => contact_id)
}

const membersUpTo = async (db: Kysely<ReadModels>, { workspaceId, after, listIds }: FactPage, last: ContactId) => {
  const { rows } = await sql<Readonly<{ list_id: ListId; contact_id: ContactId }>>`
    select m.list_id, m.contact_id from unnest(${listIds}::uuid[]) l(id) cross join lateral (
      select list_id, contact_id from read.list_members
      where workspace_id = ${workspaceId} and list_id = l.id and contact_id > ${after} and contact_id <= ${last}) m`.execute(db)
  return Map.groupBy(rows, ({ contact_id }) => contact_id)
}
