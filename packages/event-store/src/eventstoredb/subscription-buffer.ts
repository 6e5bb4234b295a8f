import { type Batch, comparePositions, type Position, type RecordedEvent } from '../port.ts'
import type { ReadAnswer } from './decode-read.ts'

/** What a call may run ahead of the batches: past either, HTTP/2 flow control slows the server. */
const MAX_BUFFERED = { events: 2_000, bytes: 4 * 1024 * 1024 }

/**
 * Holds the events that a subscription has delivered and its reader has not taken yet. `to` only grows: events that the server repeats, or
 * that lie before the requested position, are ignored.
 */
export class SubscriptionBuffer {
  #events: RecordedEvent[] = []
  #bytes = 0
  #live = false
  #to: Position
  #taken: Position
  #madeRoom: (() => void) | undefined

  constructor(after: Position) {
    this.#to = after
    this.#taken = after
  }

  get hasNews(): boolean {
    return comparePositions(this.#to, this.#taken) > 0
  }

  get taken(): Position {
    return this.#taken
  }

  put(answer: ReadAnswer): void {
    if (answer === 'caught up') this.#live = true
    if (typeof answer === 'string') return
    const { event, isOfServer } = answer
    if (comparePositions(event.position, this.#to) <= 0) return
    this.#to = event.position
    if (isOfServer) return
    this.#events.push(event)
    this.#bytes += event.data.length + event.meta.length
  }

  take(): Batch {
    const batch = { events: this.#events, to: this.#to, caughtUp: this.#live }
    this.#events = []
    this.#bytes = 0
    this.#taken = this.#to
    this.release()
    return batch
  }

  /** Undefined while there is room for more; otherwise resolves when there is. One caller at a time. */
  room(): Promise<void> | undefined {
    if (this.#events.length < MAX_BUFFERED.events && this.#bytes < MAX_BUFFERED.bytes) return undefined
    return new Promise((resolve) => {
      this.#madeRoom = resolve
    })
  }

  /** Ends the wait for room. */
  release(): void {
    this.#madeRoom?.()
    this.#madeRoom = undefined
  }
}
