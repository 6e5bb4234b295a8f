import { type AppendContext, uuidv5 } from '@tidings/codec'
import type { CommandRunner, Execution } from '@tidings/commands'
import {
  type ActivityEvent,
  activity,
  activityKey,
  activityStream,
  type ContactId,
  type ContactPatch,
  isNews,
  type RecordActivity,
  STORE_HISTORY,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { UniqueContacts } from '@tidings/unique-contacts'
import { unlessErased } from '../unless-erased.ts'
import type { Reported } from './resolve-reported.ts'

/** A report whose contact is not known yet. `ownId` as in `activityKey`. */
export type Report = Pick<RecordActivity['data'], 'event' | 'source' | 'occurredAt' | 'properties'> & Readonly<{ ownId: string | null }>

/** `position` is null for a duplicate: it was reported before (G22, M54). */
export type Recorded = Readonly<{ contactId: ContactId; created: boolean; activityId: string; position: Position | null }>

type Recorders = Readonly<{ commands: CommandRunner; uniqueContacts: UniqueContacts }>
type Recording = Readonly<{ context: AppendContext; report: Report }>

/** Records what a known contact did; null once the person is erased. */
export async function recordActivity(deps: Recorders, recording: Recording, contactId: ContactId): Promise<Recorded | null> {
  const { execution, activityId } = executionOf(recording, contactId)
  const executed = await unlessErased(deps.commands.execute(execution))
  return executed && { contactId, created: false, activityId, position: executed.position }
}

type FirstReport = Readonly<{ reported: Reported; details: ContactPatch }>

/** Records what a person did whom no contact is known for: contact and activity in one append where that can be, else one after the other. */
export async function recordFirstActivity(
  deps: Recorders,
  recording: Recording,
  { reported, details }: FirstReport,
): Promise<Recorded | null> {
  const { context } = recording
  const prepared = await deps.uniqueContacts.prepareNew({ context, ...reported, details, source: sourceOf(recording) })
  const { execution, activityId } = executionOf(recording, prepared.contactId)
  const draft = prepared.drafts && deps.commands.draft(execution)
  const { contactId, created, appended } = await deps.uniqueContacts.commit(prepared, draft ? [draft] : [])
  const [written] = appended
  if (written) return { contactId, created, activityId, position: written.position }
  const recorded = await recordActivity(deps, recording, contactId)
  return recorded && { ...recorded, created }
}

/** A contact that is known only by late reports of a store is not a new contact for flows (M54). */
const sourceOf = ({ context, report }: Recording): string => (isNews(report, context.at) ? report.source : STORE_HISTORY)

type Recordable = Readonly<{ execution: Execution<RecordActivity, ActivityEvent, boolean>; activityId: string }>

function executionOf({ context, report }: Recording, contactId: ContactId): Recordable {
  const { ownId: _, ...data } = report
  const activityId = activityIdOf(activityKey({ ...report, contactId }))
  return {
    activityId,
    execution: {
      decider: activity,
      stream: activityStream(context.workspaceId, activityId),
      command: { type: 'RecordActivity', data: { activityId, contactId, ...data } },
      context,
      // Duplicates are rare: the append finds them.
      isNew: true,
    },
  }
}

/** Fixed for ever: the streams of activities are named by it. */
const ACTIVITIES = '0d9c7f52-6d0b-5b8e-8f3a-2f4b6a1c9e37'

/** The id of an activity: the same key (`activityKey`) always gives the same id, so that two reports meet in one stream. */
function activityIdOf(key: string): string {
  return uuidv5(key, ACTIVITIES)
}
