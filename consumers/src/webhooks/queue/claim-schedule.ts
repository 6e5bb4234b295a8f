import type { DeliveryBuffer } from './delivery-buffer.ts'

/** While the process has no queue, only free queues count, and those are watched. */
const NOTHING_LEASED_MS = 30_000

/**
 * Decides when a round claims: at once where something may wait that no claim has found and there is room for it, else when a retry is due, or the net
 * below all that. What is ready as it is admitted (`offerOf`) needs no claim, and its settlement brings none.
 */
export class ClaimSchedule {
  readonly #buffer: DeliveryBuffer
  readonly #pollMs: number
  #isWanted = true
  #askedAt = Number.NEGATIVE_INFINITY
  #retryAt = Number.POSITIVE_INFINITY

  constructor(buffer: DeliveryBuffer, pollMs: number) {
    this.#buffer = buffer
    this.#pollMs = pollMs
  }

  /** Some queue may have more: one that is leased and has room, or one that is free. */
  get isWanted(): boolean {
    return this.#isWanted || this.#buffer.owes()
  }

  get isDue(): boolean {
    return this.isWanted || performance.now() >= this.#lookAt
  }

  dueInMs(): number {
    return Math.max(1, this.#lookAt - performance.now())
  }

  /** Something waits in a queue that is free, or in any. */
  want(): void {
    this.#isWanted = true
  }

  /** A claim begins; without room there is none, and it is wanted until there is. */
  begin(hasRoom: boolean): void {
    this.#isWanted = !hasRoom
    this.#askedAt = performance.now()
    this.#retryAt = this.#buffer.nextRetryAt()
  }

  putOff(inMs: number): void {
    this.#buffer.putOff(inMs)
    this.#retryAt = Math.min(this.#retryAt, this.#buffer.nextRetryAt())
  }

  get #lookAt(): number {
    const netMs = this.#buffer.queues.size > 0 ? this.#pollMs : Math.max(this.#pollMs, NOTHING_LEASED_MS)
    return Math.min(this.#askedAt + netMs, this.#retryAt)
  }
}
