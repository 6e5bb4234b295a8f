/** An answer that takes longer is slow: what a gate says of the next mail may have changed by then. */
const QUICK_MS = 100
const WEIGHT = 0.3

/** How quickly the relay answers mails, of the last few of all sessions. Quick until it was seen. */
export class RelaySpeed {
  #ms = 0

  note(ms: number): void {
    this.#ms += (ms - this.#ms) * WEIGHT
  }

  isQuick(): boolean {
    return this.#ms < QUICK_MS
  }
}
