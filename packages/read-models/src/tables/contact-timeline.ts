import type { ContactId, WorkspaceId } from '@tidings/domain'

/** What happened to a person, besides messages. */
export type TimelineKind =
  | 'created'
  | 'details_changed'
  | 'email_changed'
  | 'phone_changed'
  | 'consent'
  | 'blocked'
  | 'block_lifted'
  | 'browser_added'
  | 'browser_removed'
  | 'list_joined'
  | 'list_left'
  | 'flow_entered'
  | 'flow_left'
  | 'event'
  | 'form_submitted'
  | 'sign_up_confirmed'

/**
 * One thing that happened to a person; what it says is in the event that `thing_id` and `revision` name. `place`: what sorts before all else happened
 * first (`timelinePlace`). `thing_id`: of the contact, or of the list, flow, activity or sign-up.
 */
export type ContactTimelineRow<Time = Date> = {
  workspace_id: WorkspaceId
  contact_id: ContactId
  place: string
  at: Time
  kind: TimelineKind
  thing_id: string
  revision: number
}
