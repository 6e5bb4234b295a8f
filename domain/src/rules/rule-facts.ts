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

/**
 * The facts with no time of the service's own after `now`: a process whose clock was ahead wrote it, and what it wrote has occurred. So it counts at
 * once, whichever process judges it. Properties stay: those are what somebody wrote.
 */
export function withoutFuture(facts: RuleFacts, now: number): RuleFacts {
  const { profile, events } = facts
  const isAhead = (value: unknown): boolean => typeof value === 'number' && value > now
  if (!Object.values(profile).some(isAhead) && ![...events.values()].some(({ lastAt }) => isAhead(lastAt))) return facts
  const fields = Object.entries(profile).map(([field, value]) => [field, isAhead(value) ? now : value] as const)
  return {
    ...facts,
    profile: { ...profile, ...Object.fromEntries(fields) },
    events: new Map([...events].map(([name, { count, lastAt }]) => [name, { count, lastAt: Math.min(lastAt, now) }])),
  }
}
