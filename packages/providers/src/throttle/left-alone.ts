import { LRUCache } from 'lru-cache'
import type { Priority } from '../port.ts'
import { PRIORITIES } from '../queue/fair-queue.ts'
import type { Addressed } from './evidence.ts'

/** A longer wait is the caller's, between its tries. */
const MAX_DELAY_MS = 10_000

/**
 * Until when a recipient is left alone that a workspace's message was refused for. A message waits for those of its own workspace and class, and of the
 * classes that go first: none for another workspace's, and no passcode for a campaign's (M43).
 */
export class LeftAlone {
  readonly #until = new LRUCache<string, number>({ max: 10_000, ttl: MAX_DELAY_MS })

  get size(): number {
    return this.#until.size
  }

  /** By `performance.now()`; 0 where it may be written to. */
  until(message: Addressed, priority: Priority): number {
    let last = 0
    for (const one of PRIORITIES) {
      last = Math.max(last, this.#until.get(keyOf(message, one)) ?? 0)
      if (one === priority) break
    }
    return last
  }

  leave(message: Addressed, priority: Priority, ms: number): void {
    this.#until.set(keyOf(message, priority), performance.now() + Math.min(ms, MAX_DELAY_MS))
  }

  /** It takes messages again. */
  clear(message: Addressed): void {
    for (const one of PRIORITIES) this.#until.delete(keyOf(message, one))
  }
}

const keyOf = ({ workspaceId, to }: Addressed, priority: Priority): string => `${priority} ${workspaceId} ${to}`
