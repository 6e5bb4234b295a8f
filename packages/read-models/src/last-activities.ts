import type { ContactId, WorkspaceId } from '@tidings/domain'
import type { Kysely } from 'kysely'
import { forWorkspace } from './for-workspace.ts'
import type { ReadModels } from './tables.ts'

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
