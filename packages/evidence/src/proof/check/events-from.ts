import { comparePositions, type EventStore, type Position, type RecordedEvent } from '@tidings/event-store'

const PAGE = 2_000

/** Events of the log from a place on, read as far as they are asked for. */
export class EventsFrom {
  readonly #store: Pick<EventStore, 'readAll'>
  #events: readonly RecordedEvent[] = []
  #read: Position
  #caughtUp = false

  constructor(store: Pick<EventStore, 'readAll'>, after: Position) {
    this.#store = store
    this.#read = after
  }

  /** Those that were read and not passed. */
  get events(): readonly RecordedEvent[] {
    return this.#events
  }

  /** Reads until there are so many, or the log ends. */
  async fill(count: number): Promise<void> {
    while (this.#events.length < count && !this.#caughtUp) {
      const { events, to, caughtUp } = await this.#store.readAll(this.#read, PAGE)
      this.#events = [...this.#events, ...events]
      this.#read = to
      this.#caughtUp = caughtUp
    }
  }

  /** Whether the event at this number is there, and not behind `to`. */
  has(at: number, to: Position): boolean {
    const event = this.#events[at]
    return event !== undefined && comparePositions(event.position, to) <= 0
  }

  pass(count: number): void {
    if (count > 0) this.#events = this.#events.slice(count)
  }
}
