import type { ContactId, WorkspaceId } from '@tidings/domain'

/**
 * What rules ask of a contact's activities of one name: how many there are, and when the last one occurred. `recent`: the last of them, as
 * `recentIn` reads them.
 */
export type ActivityFactsRow<Time = Date> = {
  workspace_id: WorkspaceId
  contact_id: ContactId
  event: string
  count: bigint
  last_at: Time
  recent: string
}

/** A custom event that was reported, with the names of its properties in the order in which they were first seen. */
export type ObservedEventRow = {
  workspace_id: WorkspaceId
  name: string
  properties: readonly string[]
}

/**
 * `names`: rows of `observed_events`. `once` and `again`: these names, those that came first before, by whether they were reported again since.
 * `ignored_*`: what the catalogue did not take, or dropped for something newer, counted each time.
 */
export type ObservedEventTotalRow = {
  workspace_id: WorkspaceId
  names: bigint
  once: readonly string[]
  again: readonly string[]
  ignored_names: bigint
  ignored_properties: bigint
}
