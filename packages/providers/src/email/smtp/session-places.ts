import type { SmtpSession } from './session.ts'

/** `slow`: its answer takes long. `aside`: then it does not count as one of the `max`, while there is room for that. */
export type Pooled = {
  readonly session: SmtpSession
  messages: number
  idleTimer: NodeJS.Timeout | undefined
  slow: boolean
  aside: boolean
}

/** The sessions of a pool: at most `max`, those that are being opened included, and at most as many again that wait for a slow answer. */
export class SessionPlaces {
  private readonly max: number
  private readonly all = new Set<Pooled>()
  private connecting = 0
  private aside = 0

  constructor(max: number) {
    this.max = max
  }

  taken(): number {
    return this.connecting + this.all.size - this.aside
  }

  isFree(): boolean {
    return this.taken() < this.max
  }

  beginConnecting(): void {
    this.connecting++
  }

  endConnecting(): void {
    this.connecting--
  }

  enter(session: SmtpSession): Pooled {
    const pooled = { session, messages: 0, idleTimer: undefined, slow: false, aside: false }
    this.all.add(pooled)
    return pooled
  }

  leave(pooled: Pooled): void {
    if (this.all.delete(pooled) && pooled.aside) this.aside--
  }

  setAside(pooled: Pooled): void {
    pooled.slow = true
    if (pooled.aside || this.aside >= this.max) return
    pooled.aside = true
    this.aside++
  }

  /** False where its place has gone to another meanwhile. */
  comeBack(pooled: Pooled): boolean {
    if (pooled.aside) {
      if (!this.isFree()) return false
      this.aside--
    }
    pooled.slow = false
    pooled.aside = false
    return true
  }

  /** Whether mail gets on without a further session: one works and is not slow, or is being opened. */
  isUsable(): boolean {
    return this.connecting > 0 || [...this.all].some(({ session, slow }) => session.alive() && !slow)
  }
}
