import type { EventLog, Recorded } from '@tidings/codec'
import type { ActivityRecorded, ContactId, WorkspaceId } from '@tidings/domain'
import type { LastActivities } from '../../src/abandoned-carts/abandon-cart.ts'

/** Answers as `read.activity_facts` would: it reads the whole log anew at each call. */
export async function lastActivitiesIn(
  log: EventLog,
  { workspaceId, contactId }: Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>,
): Promise<LastActivities> {
  const { events } = await log.readAll('start', 10_000, { types: ['ActivityRecorded'] })
  const own = (events as readonly Recorded<ActivityRecorded>[]).filter(
    ({ data, meta }) => data.contactId === contactId && meta.workspaceId === workspaceId,
  )
  const last: Record<string, string> = {}
  for (const { data } of own) if (data.occurredAt > (last[data.event] ?? '')) last[data.event] = data.occurredAt
  return last
}
