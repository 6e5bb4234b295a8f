import type { ContactId, WorkspaceId } from '@tidings/domain'
import type { Kysely } from 'kysely'
import { forWorkspace } from './for-workspace.ts'
import type { ReadModels } from './tables.ts'

type ActivityCountsRequest = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; names: readonly string[] }>
type Counted = Readonly<{ count: number; lastAt: number }>

/** How often a contact had each of these events, and when last (milliseconds); without those that never came. */
export async function activityCounts(
  db: Kysely<ReadModels>,
  { workspaceId, contactId, names }: ActivityCountsRequest,
): Promise<ReadonlyMap<string, Counted>> {
  const facts = forWorkspace(db, workspaceId).activityFacts().select(['event', 'count', 'last_at'])
  const rows = await facts.where('contact_id', '=', contactId).where('event', 'in', names).execute()
  return new Map(rows.map(({ event, count, last_at }) => [event, { count: Number(count), lastAt: last_at.getTime() }]))
}

type LastActivitiesRequest = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; events: readonly string[] }>

/** The last times of the contact's activities of these names, ISO 8601, without those that never occurred. */
export async function lastActivities(
  db: Kysely<ReadModels>,
  { workspaceId, contactId, events }: LastActivitiesRequest,
): Promise<Readonly<Record<string, string>>> {
  const facts = forWorkspace(db, workspaceId).activityFacts().select(['event', 'last_at'])
  const rows = await facts.where('contact_id', '=', contactId).where('event', 'in', events).execute()
  return Object.fromEntries(rows.map(({ event, last_at }) => [event, last_at.toISOString()]))
}
