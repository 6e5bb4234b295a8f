import type { LastSeen, Seen } from '../last-seen.ts'

/**
 * A condition that is true where the log holds what was seen of it; the numbers are those of its parameters. It names no column, so
 * Postgres evaluates it once and before anything else of its statement: one probe of the primary key.
 */
export function holdsSeen(position: number, id: number): string {
  return `($${position}::bigint is null or exists (select from es.event k where k.position = $${position}::bigint and ($${id}::uuid is null or k.event_id = $${id}::uuid)))`
}

/** The parameters of `holdsSeen`. Positions are dense: where nothing is at one, the log ends before it. */
export function seenValues({ position, event }: Seen): readonly [position: string | null, id: string | null] {
  return [position.commit < 1n ? null : String(position.commit), event?.position.commit === position.commit ? event.id : null]
}

/** Takes the answer to `holdsSeen`; throws LogWentBack. */
export function assertHeld(lastSeen: LastSeen, seen: Seen, held: string | null | undefined): void {
  if (held !== 't') throw lastSeen.missing(seen)
  lastSeen.confirmed()
}
