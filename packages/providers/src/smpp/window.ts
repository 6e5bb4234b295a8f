import { pause, unlessAborted } from '@tidings/async'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/**
 * How many submits may wait for their answers (SMPP 3.4 §2.4.4), and a pause while the SMSC throttles: the pause doubles from 0.1 s to 5 s
 * while every submit after it is throttled again, and answers to one burst count once.
 */
export class SubmitWindow {
  readonly #waiting: (() => void)[] = []
  #free: number
  #pauseMs = 0
  #pausedUntil = 0

  constructor(size: number) {
    this.#free = size
  }

  /** False when the signal aborted first; otherwise `leave` must follow. */
  async enter(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const waitMs = this.#pausedUntil - performance.now()
      if (waitMs > 0) await pause(waitMs, signal)
      else if (this.#free > 0) {
        this.#free--
        return true
      } else await this.#nextFree(signal)
    }
    // A place that this one was woken for goes to the next.
    if (this.#free > 0) this.#waiting.shift()?.()
    return false
  }

  leave(): void {
    this.#free++
    this.#waiting.shift()?.()
  }

  throttled(): void {
    if (performance.now() < this.#pausedUntil) return
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, this.#pauseMs * 2))
    this.#pausedUntil = performance.now() + this.#pauseMs
  }

  accepted(): void {
    this.#pauseMs = 0
  }

  async #nextFree(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    await unlessAborted(promise, signal)
    const at = this.#waiting.indexOf(resolve)
    if (at >= 0) this.#waiting.splice(at, 1)
  }
}
