/**
 * What rules ask of a contact's activities of one name: how many there are, and when the last one occurred. `recent`: the last of them, as
 * `recentIn` reads them.
 */
export type ActivityFactsRow<Time = Date> = {
  workspace_id: string
  contact_id: string
  event: string
  count: bigint
  last_at: Time
  recent: string
}

/** A custom event that was reported, with the names of its properties in the order in which they were first seen. */
export type ObservedEventRow = {
  workspace_id: string
  name: string
  properties: readonly string[]
}

/** `names`: rows of `observed_events`. `ignored_*`: what was reported beyond the bounds of the catalogue, counted each time. */
export type ObservedEventTotalRow = {
  workspace_id: string
  names: bigint
  ignored_names: bigint
  ignored_properties: bigint
}
