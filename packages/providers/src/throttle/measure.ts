const SECOND_MS = 1_000

/** How many were taken in the second that began then, and in the one before it. */
export class Measure {
  #since = 0
  #now = 0
  #before = 0

  taken(): void {
    this.#beginSecond()
    this.#now++
  }

  /** A second, at the best. */
  perSecond(): number {
    this.#beginSecond()
    return Math.max(this.#now, this.#before)
  }

  #beginSecond(): void {
    const now = performance.now()
    const past = now - this.#since
    if (past < SECOND_MS) return
    this.#before = past < 2 * SECOND_MS ? this.#now : 0
    this.#now = 0
    this.#since = now
  }
}
