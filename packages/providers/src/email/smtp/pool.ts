import { DeliveryError } from '../port.ts'
import { watchOutage } from './outage.ts'
import { openSession, type SessionSettings, type SmtpSession } from './session.ts'

/** `max` sessions at once; one is closed after `maxMessages`, or when it had nothing to do for `idleMs`. */
export type SmtpPoolSettings = SessionSettings & Readonly<{ max: number; maxMessages: number; idleMs: number }>

type Pooled = { readonly session: SmtpSession; messages: number; idleTimer: NodeJS.Timeout | undefined }
type Waiter = Readonly<{ resolve: (pooled: Pooled) => void; reject: (error: unknown) => void }>

/**
 * A session is idle or taken, until it dies, is worn out or has idled too long. Whoever finds none waits in line: a session that comes
 * free, or the place of one that went, belongs to the first of them. The line is as long as the callers make it: they bound their number.
 */
export class SmtpPool {
  private readonly settings: SmtpPoolSettings
  private readonly idle: Pooled[] = []
  private readonly waiting: Waiter[] = []
  private readonly outage = watchOutage()
  private readonly closing = new AbortController()
  private open = 0

  constructor(settings: SmtpPoolSettings) {
    this.settings = settings
  }

  /** Runs `work` on a session that nobody else uses meanwhile. Throws `DeliveryError` when none can be opened. */
  async use<Result>(signal: AbortSignal, work: (session: SmtpSession) => Promise<Result>): Promise<Result> {
    const pooled = await this.take(signal)
    try {
      return await work(pooled.session)
    } finally {
      this.giveBack(pooled)
    }
  }

  /** Sessions at work are closed as they come back. */
  async close(): Promise<void> {
    this.closing.abort()
    for (const pooled of this.idle.splice(0)) this.drop(pooled)
  }

  private async take(signal: AbortSignal): Promise<Pooled> {
    if (this.closing.signal.aborted) throw new DeliveryError('temporary', 'the mail provider is being closed')
    for (let pooled = this.idle.pop(); pooled; pooled = this.idle.pop()) {
      clearTimeout(pooled.idleTimer)
      if (pooled.session.alive()) return pooled
      this.drop(pooled)
    }
    if (this.open < this.settings.max) return await this.connect(signal)
    return await new Promise((resolve, reject) => this.waiting.push({ resolve, reject }))
  }

  private async connect(signal: AbortSignal): Promise<Pooled> {
    this.open++
    try {
      await this.outage.permit(AbortSignal.any([signal, this.closing.signal]))
      const session = await openSession(this.settings)
      this.outage.opened()
      return { session, messages: 0, idleTimer: undefined }
    } catch (error) {
      if (error instanceof DeliveryError) this.outage.failed()
      this.open--
      this.admitNext()
      throw error
    }
  }

  private giveBack(pooled: Pooled): void {
    pooled.messages++
    if (this.closing.signal.aborted || !pooled.session.alive() || pooled.messages >= this.settings.maxMessages) this.drop(pooled)
    else this.offer(pooled)
  }

  private offer(pooled: Pooled): void {
    const next = this.waiting.shift()
    if (next) next.resolve(pooled)
    else this.rest(pooled)
  }

  private rest(pooled: Pooled): void {
    this.idle.push(pooled)
    pooled.idleTimer = setTimeout(() => {
      this.idle.splice(this.idle.indexOf(pooled), 1)
      this.drop(pooled)
    }, this.settings.idleMs)
    pooled.idleTimer.unref()
  }

  private drop(pooled: Pooled): void {
    clearTimeout(pooled.idleTimer)
    this.open--
    pooled.session.close()
    this.admitNext()
  }

  /** A place is free: the first in line opens a session of its own. */
  private admitNext(): void {
    const next = this.waiting.shift()
    if (next) this.connect(this.closing.signal).then(next.resolve, next.reject)
  }
}
