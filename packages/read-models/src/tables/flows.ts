import type { ContactId, FlowId, WorkspaceId } from '@tidings/domain'

/** `inside`: runs that are not over; `finished`: those that are, for any reason. */
export type FlowRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: FlowId
  name: string
  version: number
  paused: boolean
  retired: boolean
  inside: bigint
  finished: bigint
  created_at: Time
}

/** The last run of a contact through a flow. `step`: the next one, null where it waits for what is behind the last. */
export type FlowRunRow<Time = Date> = {
  workspace_id: WorkspaceId
  flow_id: FlowId
  contact_id: ContactId
  run_id: string
  version: number
  step: number | null
  state: 'due' | 'waiting' | 'message_queued' | 'over'
  until: Time | null
  reason: string | null
  entered_at: Time
  updated_at: Time
}
