import { createBatchLoader } from '@tidings/async'
import type { ContactId, ListId, RuleFacts, WorkspaceId } from '@tidings/domain'
import { type Kysely, sql } from 'kysely'
import { type RecentActivity, recentIn } from './recent-activities.ts'
import type { ActivityFactsRow, ProfileRow, ReadModels } from './tables.ts'
import { toRuleFacts } from './to-rule-facts.ts'

/** The facts of one contact that rules ask for, with the named events, and which of these lists it is on. */
export type FactsWanted = Readonly<{
  workspaceId: WorkspaceId
  contactId: ContactId
  listIds: readonly ListId[]
  events: readonly string[]
}>

/** `facts` null: there is no such contact (any more). `recent`: the last activities of each event that was named. */
export type ContactFacts = Readonly<{
  facts: RuleFacts | null
  memberOf: ReadonlySet<string>
  recent: ReadonlyMap<string, readonly RecentActivity[]>
}>

const MAX_CONTACTS = 200

/** Loads the facts of contacts; those that are asked for in one turn of the event loop share their statements. */
export function contactFacts(db: Kysely<ReadModels>): (wanted: FactsWanted) => Promise<ContactFacts> {
  return createBatchLoader({
    load: (wanted: readonly FactsWanted[]) => factsOf(db, wanted),
    pick: (found, one) => found.get(one) ?? { facts: null, memberOf: new Set<string>(), recent: new Map() },
    maxKeys: MAX_CONTACTS,
  })
}

const factsOf = async (db: Kysely<ReadModels>, wanted: readonly FactsWanted[]): Promise<ReadonlyMap<FactsWanted, ContactFacts>> => {
  const [profiles, activities, members] = await Promise.all([profilesOf(db, wanted), activitiesOf(db, wanted), membershipsOf(db, wanted)])
  return new Map(
    wanted.map((one) => {
      const key = keyOf(one.workspaceId, one.contactId)
      const profile = profiles.get(key)
      const memberOf = new Set((members.get(key) ?? []).map(({ list_id }) => list_id))
      const counted = activities.get(key) ?? []
      const recent = new Map(counted.map((row) => [row.event, recentIn(row.recent)]))
      return [one, { facts: profile === undefined ? null : toRuleFacts(profile, counted), memberOf, recent }]
    }),
  )
}

const keyOf = (workspaceId: WorkspaceId, contactId: ContactId): string => `${workspaceId}/${contactId}`

const pairs = (wanted: readonly FactsWanted[]) =>
  sql`unnest(${wanted.map(({ workspaceId }) => workspaceId)}::uuid[], ${wanted.map(({ contactId }) => contactId)}::uuid[])`

const profilesOf = async (db: Kysely<ReadModels>, wanted: readonly FactsWanted[]) => {
  const { rows } = await sql<ProfileRow>`
    select p.* from ${pairs(wanted)} w(workspace_id, contact_id)
    join read.profiles p on p.workspace_id = w.workspace_id and p.id = w.contact_id`.execute(db)
  return new Map(rows.map((row) => [keyOf(row.workspace_id, row.id), row]))
}

const activitiesOf = async (db: Kysely<ReadModels>, wanted: readonly FactsWanted[]) => {
  const events = [...new Set(wanted.flatMap((one) => one.events))]
  if (events.length === 0) return new Map<string, ActivityFactsRow[]>()
  const { rows } = await sql<ActivityFactsRow>`
    select a.* from ${pairs(wanted)} w(workspace_id, contact_id) cross join unnest(${events}::text[]) e(event)
    join read.activity_facts a on a.workspace_id = w.workspace_id and a.contact_id = w.contact_id and a.event = e.event`.execute(db)
  return Map.groupBy(rows, (row) => keyOf(row.workspace_id, row.contact_id))
}

type Membership = Readonly<{ workspace_id: WorkspaceId; list_id: ListId; contact_id: ContactId }>

const membershipsOf = async (db: Kysely<ReadModels>, wanted: readonly FactsWanted[]) => {
  const asked = wanted.flatMap(({ workspaceId, contactId, listIds }) => listIds.map((listId) => ({ workspaceId, contactId, listId })))
  const { rows } = await sql<Membership>`
    select m.workspace_id, m.list_id, m.contact_id
    from unnest(${asked.map(({ workspaceId }) => workspaceId)}::uuid[], ${asked.map(({ listId }) => listId)}::uuid[],
                ${asked.map(({ contactId }) => contactId)}::uuid[]) w(workspace_id, list_id, contact_id)
    join read.list_members m on m.workspace_id = w.workspace_id and m.list_id = w.list_id and m.contact_id = w.contact_id`.execute(db)
  return Map.groupBy(rows, (row) => keyOf(row.workspace_id, row.contact_id))
}
