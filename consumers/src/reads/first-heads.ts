import { entriesUpTo } from '@tidings/async'
import type { Position } from '@tidings/event-store'
import { LRUCache } from 'lru-cache'

/** The head that the log had when a decision first asked: a read side that is always a little behind shows that in the end, and never the newest. */
export type FirstHeads = Readonly<{ of: (decision: string) => Promise<Position>; forget: (decision: string) => void }>

/** One that is forgotten for others takes the head as it is then. */
const MAX_DECISIONS = 20_000

export function createFirstHeads(head: () => Promise<Position>): FirstHeads {
  const asked = new LRUCache<string, Position>(entriesUpTo(MAX_DECISIONS))
  return {
    of: async (decision) => {
      const first = asked.get(decision) ?? (await head())
      asked.set(decision, first)
      return first
    },
    forget: (decision) => void asked.delete(decision),
  }
}
