import { comparePositions, type Position, type RecordedEvent } from '../port.ts'

export type WindowLimits = Readonly<{ maxEvents: number; maxBytes: number }>

/** What is after a place: `events` in log order, with the position `to` afterwards. `'behind'` when the window no longer reaches back that far. */
export type Slice = Readonly<{ events: readonly RecordedEvent[]; to: Position }>

/** Characters as the measure: JSON of this service is nearly all Latin-1, which V8 keeps in one byte each. 200 is the object around them. */
export function weight(event: RecordedEvent): number {
  return event.data.length + event.meta.length + 200
}

/** Entries that were let go of are cut off the array only in bulk, so that forgetting one event does not move all others. */
const COMPACT_FROM = 1_024

/**
 * The newest part of the log in memory: every event after `floor`, up to and including `end`, under both limits by forgetting the
 * oldest. It never has a hole: what does not join at the end is not taken.
 */
export class Window {
  readonly #limits: WindowLimits
  #events: RecordedEvent[] = []
  #first = 0
  #bytes = 0
  #floor: Position
  #end: Position

  /** Empty, at `start`. */
  constructor(start: Position, limits: WindowLimits) {
    this.#limits = limits
    this.#floor = start
    this.#end = start
  }

  get floor(): Position {
    return this.#floor
  }

  get end(): Position {
    return this.#end
  }

  /** Events that directly follow `after`; the window then ends at `to`. False when the window ends before `after`. */
  extend(after: Position, events: readonly RecordedEvent[], to: Position): boolean {
    if (comparePositions(after, this.#end) > 0) return false
    for (const event of events) {
      if (comparePositions(event.position, this.#end) <= 0) continue
      this.#events.push(event)
      this.#bytes += weight(event)
      this.#end = event.position
    }
    if (comparePositions(to, this.#end) > 0) this.#end = to
    while (this.#size > this.#limits.maxEvents || (this.#bytes > this.#limits.maxBytes && this.#size > 0)) this.#dropFirst()
    this.#compact()
    return true
  }

  slice(after: Position, limit: number): Slice | 'behind' {
    if (comparePositions(after, this.#floor) < 0) return 'behind'
    const from = this.#indexAfter(after)
    const events = this.#events.slice(from, from + limit)
    const last = events.at(-1)
    if (last !== undefined && from + limit < this.#events.length) return { events, to: last.position }
    return { events, to: comparePositions(this.#end, after) < 0 ? after : this.#end }
  }

  /** Lets go of everything up to `position`. */
  forget(position: Position): void {
    while (this.#size > 0 && comparePositions(this.#events[this.#first]!.position, position) <= 0) this.#dropFirst()
    if (comparePositions(position, this.#floor) > 0 && comparePositions(position, this.#end) <= 0) this.#floor = position
    this.#compact()
  }

  get #size(): number {
    return this.#events.length - this.#first
  }

  #dropFirst(): void {
    const event = this.#events[this.#first]!
    this.#bytes -= weight(event)
    this.#floor = event.position
    this.#first += 1
  }

  #compact(): void {
    if (this.#size > 0 && (this.#first < COMPACT_FROM || this.#first < this.#size)) return
    this.#events = this.#events.slice(this.#first)
    this.#first = 0
  }

  #indexAfter(position: Position): number {
    let low = this.#first
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (comparePositions(this.#events[middle]!.position, position) > 0) high = middle
      else low = middle + 1
    }
    return low
  }
}
