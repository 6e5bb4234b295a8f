import type { LastSeen, SeenPosition } from '../last-seen.ts'

/**
 * A condition that is true where the log contains what was seen of it; the numbers are those of its parameters. It names no column, so
 * Postgres evaluates it once and before anything else of its statement: one probe of the primary key.
 */
export function containsSeen(position: number, id: number): string {
  return `($${position}::bigint is null or exists (select from es.event k where k.position = $${position}::bigint and ($${id}::uuid is null or k.event_id = $${id}::uuid)))`
}

/** The parameters of `containsSeen`. Positions are dense: where nothing is at one, the log ends before it. */
export function seenValues({ position, event }: SeenPosition): readonly [position: string | null, id: string | null] {
  return [position.commit < 1n ? null : String(position.commit), event?.position.commit === position.commit ? event.id : null]
}

/** Takes the answer to `containsSeen`; throws LogWentBack. */
export function assertContained(lastSeen: LastSeen, seen: SeenPosition, contained: string | null | undefined): void {
  if (contained !== 't') throw lastSeen.missing(seen)
  lastSeen.confirmed()
}
