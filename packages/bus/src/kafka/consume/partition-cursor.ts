import { comparePositions, type Position, START } from '@tidings/event-store'
import type { Cursor } from '../../cursor.ts'
import { advancePartitions, type Membership } from './membership.ts'

/** The positions up to which each partition is read in one go. */
export type Targets = ReadonlyMap<number, Position>

const earlier = (a: Position, b: Position): Position => (comparePositions(a, b) <= 0 ? a : b)

/** The place in the slowest of some partitions; moving it moves all of them, none beyond its target. */
export function cursorOf(membership: Membership, targets: Targets): Cursor {
  const { at } = membership
  const positionsAt = (to: Position): ReadonlyMap<number, Position> =>
    new Map(
      [...targets]
        .map(([partition, target]) => [partition, earlier(to, target)] as const)
        .filter(([partition, position]) => comparePositions(position, at[partition] ?? START) > 0),
    )
  return {
    at: () => [...targets.keys()].map((partition) => at[partition] ?? START).reduce(earlier),
    move: async (tx, to) => {
      const positions = positionsAt(to)
      if (positions.size > 0) await advancePartitions(tx, membership, positions)
    },
    moved: (to) => {
      for (const [partition, position] of positionsAt(to)) at[partition] = position
    },
  }
}

/** One partition, up to wherever the events go. */
export function cursorOfPartition(membership: Membership, partition: number): Cursor {
  return {
    at: () => membership.at[partition] ?? START,
    move: (tx, to) => advancePartitions(tx, membership, new Map([[partition, to]])),
    moved: (to) => {
      membership.at[partition] = to
    },
  }
}
