import type { RecordedEvent } from '@tidings/event-store'

/**
 * Runs `open` when nothing else opens one of the events. The readers of a process get the same events at the same moment: the first opens
 * them, and the others find them in the memo instead of asking for the same keys and decrypting the same texts again.
 */
type Openings = <T>(events: readonly RecordedEvent[], open: () => Promise<T>) => Promise<T>

export function createOpenings(): Openings {
  /** Never rejected. A reader waits for those that came before it alone, so that none waits for itself. */
  const underWay = new WeakMap<RecordedEvent, Promise<void>>()
  return async (events, open) => {
    const { promise: opened, resolve } = Promise.withResolvers<void>()
    const others = new Set<Promise<void>>()
    for (const event of events) {
      const other = underWay.get(event)
      if (other === undefined) underWay.set(event, opened)
      else others.add(other)
    }
    try {
      if (others.size > 0) await Promise.all(others)
      return await open()
    } finally {
      resolve()
    }
  }
}
