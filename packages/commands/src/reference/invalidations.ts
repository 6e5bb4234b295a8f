import { comparePositions, type Position } from '@tidings/event-store'
import { reached } from './follow-log.ts'

export type Invalidations = Readonly<{
  note: (key: string, position: Position) => void
  /** True when it is known that none of the keys was changed after `position`. */
  noneAfter: (position: Position, keys: readonly string[]) => boolean
}>

/**
 * Which keys changed lately, and how far back that is known for certain: from where the follower began, and less when more than
 * `max` keys changed since. What is not known for certain counts as changed.
 */
export const invalidations = (options: Readonly<{ max: number; since: () => Position | null }>): Invalidations => {
  const latest = new Map<string, Position>()
  let forgotten: Position | null = null

  return {
    note: (key, position) => {
      // Deleted first, so that the map stays in the order of positions.
      latest.delete(key)
      latest.set(key, position)
      if (latest.size <= options.max) return
      for (const [oldest, at] of latest) {
        latest.delete(oldest)
        forgotten = at
        break
      }
    },
    noneAfter: (position, keys) => {
      const since = options.since()
      if (since === null || !reached(position, since)) return false
      if (forgotten !== null && !reached(position, forgotten)) return false
      return keys.every((key) => {
        const changed = latest.get(key)
        return changed === undefined || comparePositions(changed, position) <= 0
      })
    },
  }
}
