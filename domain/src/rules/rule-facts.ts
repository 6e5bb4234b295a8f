import type { Json } from '../contact/contact.events.ts'
import type { ProfileField } from './rule-fields.ts'

/** How often a contact had an event, and when last (milliseconds). */
export type EventFacts = Readonly<{ count: number; lastAt: number }>

/**
 * What rules are evaluated on: one contact, as of one moment. Times are milliseconds. An event that is not in `events` never came; for the
 * events that a rule reads it must be complete.
 */
export type RuleFacts = Readonly<{
  profile: Readonly<Record<ProfileField, string | number | boolean | null>>
  tags: readonly string[]
  customProperties: Readonly<Record<string, Json>>
  events: ReadonlyMap<string, EventFacts>
}>
