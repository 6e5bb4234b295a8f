import type { Queued } from '../../queue/fair-queue.ts'
import type { SmtpSession } from './session.ts'

/** `holder`: whose mail it sends. `slow`: its answer takes long. `detached`: it does not count as one of the `max` meanwhile. */
export type PooledSession = {
  readonly session: SmtpSession
  messages: number
  holder: Queued | null
  idleTimer: NodeJS.Timeout | undefined
  slow: boolean
  detached: boolean
}

/** The sessions of a pool: at most `max`, those that are being opened included, and at most as many again that wait for a slow answer. */
export class SessionSlots {
  readonly #max: number
  readonly #all = new Set<PooledSession>()
  #connecting = 0
  #detached = 0

  constructor(max: number) {
    this.#max = max
  }

  inUse(): number {
    return this.#connecting + this.#all.size - this.#detached
  }

  hasRoom(): boolean {
    return this.inUse() < this.#max
  }

  beginConnecting(): void {
    this.#connecting++
  }

  endConnecting(): void {
    this.#connecting--
  }

  add(session: SmtpSession): PooledSession {
    const pooled: PooledSession = { session, messages: 0, holder: null, idleTimer: undefined, slow: false, detached: false }
    this.#all.add(pooled)
    return pooled
  }

  remove(pooled: PooledSession): void {
    if (this.#all.delete(pooled) && pooled.detached) this.#detached--
  }

  /** Gives the slot of a slow session to another one, while the limit for slow ones allows it. */
  detach(pooled: PooledSession): void {
    pooled.slow = true
    if (pooled.detached || this.#detached >= this.#max) return
    pooled.detached = true
    this.#detached++
  }

  /** False where another session has its slot meanwhile. */
  reattach(pooled: PooledSession): boolean {
    if (pooled.detached) {
      if (!this.hasRoom()) return false
      this.#detached--
    }
    pooled.slow = false
    pooled.detached = false
    return true
  }

  /** Whether mail leaves without a further session: one is alive and not slow, or is being opened. */
  hasUsableSession(): boolean {
    return this.#connecting > 0 || [...this.#all].some(({ session, slow }) => session.isAlive() && !slow)
  }
}
