import type { Recorded } from '@tidings/codec'
import { asContactId, asFlowId, type ContactId, type FlowId, type WorkspaceId } from '@tidings/domain'
import type { Job, NewJob } from '@tidings/jobs'

/** The runs of a contact through a flow. */
export type RunRef = Readonly<{ workspaceId: WorkspaceId; flowId: FlowId; contactId: ContactId }>

/** The job of a run: one worker walks it at a time. */
export function runJob(event: Recorded, { workspaceId, flowId, contactId }: RunRef): NewJob {
  return { workspaceId, lane: laneOfRun({ flowId, contactId }), seq: event.position.commit, payload: `${flowId}/${contactId}` }
}

/** The contact's way through the flow. */
export function laneOfRun({ flowId, contactId }: Omit<RunRef, 'workspaceId'>): string {
  return `${flowId}:${contactId}`
}

export function refOf({ workspaceId, payload }: Job): RunRef {
  const [flowId = '', contactId = ''] = payload.split('/')
  return { workspaceId, flowId: asFlowId(flowId), contactId: asContactId(contactId) }
}

export function entryJob(event: Recorded, contactId: ContactId): NewJob {
  const { meta, stream, revision, position } = event
  return { workspaceId: meta.workspaceId, lane: `${contactId}:${stream}`, seq: position.commit, payload: `${stream}@${revision}` }
}
