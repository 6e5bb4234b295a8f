import type { MessageEvent } from './message.events.ts'

/**
 * Every address that a message was for, in their order: the one that it was accepted for, and those that it was readdressed to (M45), which may be
 * one more than once. Null where a person is erased; none of a push. A report about the message is compared with all of them.
 */
export function addressesOf(events: readonly MessageEvent[]): readonly (string | null)[] {
  return events.flatMap(({ data }) => ('to' in data ? [data.to] : []))
}
