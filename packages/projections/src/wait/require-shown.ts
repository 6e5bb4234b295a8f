import { comparePositions, type Position } from '@tidings/event-store'
import { createFirstHeads, type FirstHeadsOptions } from './first-heads.ts'
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

/**
 * Returns the decisions for which the read side shows everything that the log had when each first asked. The caller asks again for the others,
 * together with any new ones. Even a read side that stays behind by more than the time of a wait reaches each of them in the end (M44).
 */
export type ShownSinceAsked = (decisions: readonly string[]) => Promise<ReadonlySet<string>>

type ShownSinceAskedOptions = Readonly<{ head: () => Promise<Position>; reads: ReadYourWrites; projections: readonly string[] }> &
  FirstHeadsOptions

/** Waits at most as long as one wait of the read side. */
export function shownSinceAsked({ head, reads, projections, ...kept }: ShownSinceAskedOptions): ShownSinceAsked {
  const heads = createFirstHeads(head, kept)
  return async (decisions) => {
    const firsts = [...(await heads.ofAll(decisions))].toSorted(([, one], [, other]) => comparePositions(one, other))
    const shown = new Set<string>()
    let seen: Position | null = null
    for (const [decision, position] of firsts) {
      const isSeen: boolean = seen !== null && comparePositions(position, seen) <= 0
      if (!isSeen && (await reads.wait(position, projections)) !== 'visible') break
      if (!isSeen) seen = position
      shown.add(decision)
      heads.forget(decision)
    }
    return shown
  }
}
