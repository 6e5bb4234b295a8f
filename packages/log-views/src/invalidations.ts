import { comparePositions, type Position } from '@tidings/event-store'

export type Invalidations = Readonly<{
  note: (key: string, position: Position) => void
  /** True when it is certain that none of the keys changed after `position`. */
  noneAfter: (position: Position, keys: readonly string[]) => boolean
}>

/** `since`: where the follower began, null before its first batch. `max`: keys remembered. */
export type InvalidationsOptions = Readonly<{ max: number; since: () => Position | null }>

/**
 * Remembers the keys that changed since the follower began; only the last `max` of them. A key counts as changed when it is asked for further
 * back than that.
 */
export function createInvalidations({ max, since }: InvalidationsOptions): Invalidations {
  const latest = new Map<string, Position>()
  let forgotten: Position | null = null

  const isCertainAt = (position: Position): boolean => {
    const start = since()
    if (start === null || comparePositions(position, start) < 0) return false
    return forgotten === null || comparePositions(position, forgotten) >= 0
  }

  return {
    note: (key, position) => {
      // Deleted first, so that the map stays in the order of positions.
      latest.delete(key)
      latest.set(key, position)
      const oldest = latest.size > max ? latest.entries().next().value : undefined
      if (oldest === undefined) return
      latest.delete(oldest[0])
      forgotten = oldest[1]
    },
    noneAfter: (position, keys) =>
      isCertainAt(position) &&
      keys.every((key) => {
        const changed = latest.get(key)
        return changed === undefined || comparePositions(changed, position) <= 0
      }),
  }
}
