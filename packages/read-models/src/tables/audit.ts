import type { WorkspaceId } from '@tidings/domain'

/**
 * Something that somebody had done: an event of the log, in ids alone. `place`: what sorts before all else was done first (`timelinePlace`, with the id of the
 * event as its thing). `thing`: the id of what it is about, or a domain or sender ID; null where that is the workspace.
 */
export type AuditRow<Time = Date> = {
  workspace_id: WorkspaceId
  place: string
  at: Time
  actor: string
  type: string
  thing: string | null
  request_id: string
}
