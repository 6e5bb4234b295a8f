/** The outcomes of jobs, until they are written. */
export class Settlements<Settlement> {
  #waiting: Settlement[] = []

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  add(settled: readonly Settlement[]): void {
    this.#waiting = this.#waiting.concat(settled)
  }

  addFirst(settled: readonly Settlement[]): void {
    this.#waiting = settled.concat(this.#waiting)
  }

  /** Writes all that waits; what could not be written waits again, before what came meanwhile. */
  async flush<Answer>(write: (settled: readonly Settlement[]) => Promise<Answer>): Promise<Answer> {
    const settled = this.#waiting
    this.#waiting = []
    try {
      return await write(settled)
    } catch (error) {
      this.#waiting = settled.concat(this.#waiting)
      throw error
    }
  }
}
