import type { Position } from '@tidings/event-store'
import type { ReadYourWrites } from './read-side.ts'

/** The read models do not show yet what a decision is made on: it is to be made later, from the start. */
export class ReadSideBehind extends Error {
  override readonly name = 'ReadSideBehind'
  readonly retryable = true
  readonly position: Position
  readonly projections: readonly string[]

  constructor(position: Position, projections: readonly string[]) {
    super(`the read side does not show yet what the log has: ${projections.join(', ')}`)
    this.position = position
    this.projections = projections
  }
}

/**
 * Resolves when the projections show everything up to the position; throws `ReadSideBehind` if they do not within the time of a wait. Every
 * final decision that reads read models calls it first: an event that they do not show yet proves nothing (M44).
 */
export async function requireShown(reads: ReadYourWrites, position: Position | null, projections: readonly string[]): Promise<void> {
  if (position === null || (await reads.wait(position, projections)) === 'visible') return
  throw new ReadSideBehind(position, projections)
}
