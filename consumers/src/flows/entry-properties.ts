import type { EventLog, Recorded } from '@tidings/codec'
import { type ActivityEvent, isReservedMergeKey, type Json } from '@tidings/domain'
import type { ReadRun } from './read-run.ts'

/** The properties of the event that let the contact in, as flat merge tags, without those that name the person or serve compliance (G24). */
export async function entryProperties(
  log: Pick<EventLog, 'readStream'>,
  { ref: { workspaceId }, run: { cause } }: ReadRun,
): Promise<Readonly<Record<string, Json>>> {
  if (cause.type !== 'ActivityRecorded') return {}
  const events = await log.readStream<ActivityEvent>(workspaceId, cause.stream)
  const found: Recorded<ActivityEvent> | undefined = events.find(({ id }) => id === cause.eventId)
  if (found === undefined || found.erased) return {}
  return Object.fromEntries(Object.entries(found.data.properties).filter(([key]) => !isReservedMergeKey(key)))
}
