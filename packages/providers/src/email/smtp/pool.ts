import { DeliveryError } from '../port.ts'
import type { Errand, Line } from './errand.ts'
import { watchOutage } from './outage.ts'
import { openSession, type SessionSettings, type SmtpSession } from './session.ts'

/** `max` sessions at once; one is closed after `maxMessages`, or when it had nothing to do for `idleMs`. */
export type SmtpPoolSettings = SessionSettings & Readonly<{ max: number; maxMessages: number; idleMs: number }>

type Pooled = { readonly session: SmtpSession; messages: number; idleTimer: NodeJS.Timeout | undefined }

/**
 * A session is idle or at work, until it dies, is worn out or has idled too long. An errand that finds none waits in line: a session that
 * comes free takes the first of it, and so does the place of one that went. The line is as long as the callers make it: they bound their
 * number.
 */
export class SmtpPool {
  private readonly settings: SmtpPoolSettings
  private readonly idle: Pooled[] = []
  private readonly line: Errand[] = []
  private readonly outage = watchOutage()
  private readonly closing = new AbortController()
  private open = 0

  constructor(settings: SmtpPoolSettings) {
    this.settings = settings
  }

  /** Sends it out with a session, now or later. It fails with `DeliveryError` when none can be opened. */
  send(errand: Errand): void {
    const pooled = this.takeIdle()
    if (this.closing.signal.aborted) errand.failed(new DeliveryError('temporary', 'the mail provider is being closed'))
    else if (pooled !== null) void this.work(pooled, errand)
    else if (this.open < this.settings.max) void this.connect(errand)
    else this.line.push(errand)
  }

  /** Sessions at work are closed as they come back. */
  async close(): Promise<void> {
    this.closing.abort()
    for (const pooled of this.idle.splice(0)) this.drop(pooled)
  }

  private takeIdle(): Pooled | null {
    for (let pooled = this.idle.pop(); pooled; pooled = this.idle.pop()) {
      clearTimeout(pooled.idleTimer)
      if (pooled.session.alive()) return pooled
      this.drop(pooled)
    }
    return null
  }

  private async connect(errand: Errand): Promise<void> {
    this.open++
    try {
      await this.outage.permit(AbortSignal.any([errand.signal, this.closing.signal]))
      const session = await openSession(this.settings)
      this.outage.opened()
      void this.work({ session, messages: 0, idleTimer: undefined }, errand)
    } catch (error) {
      if (error instanceof DeliveryError) this.outage.failed()
      this.open--
      errand.failed(error)
      this.admitNext()
    }
  }

  private async work(pooled: Pooled, first: Errand): Promise<void> {
    const line: Line = {
      next: () => this.nextFor(pooled),
      putBack: (errand) => {
        pooled.messages--
        this.line.unshift(errand)
      },
    }
    pooled.messages++
    for (let errand: Errand | null = first; errand !== null; errand = line.next()) await pooled.session.carry(errand, line)
    if (this.canGoOn(pooled)) this.rest(pooled)
    else this.drop(pooled)
  }

  private nextFor(pooled: Pooled): Errand | null {
    const next = this.canGoOn(pooled) ? this.line.shift() : undefined
    if (next === undefined) return null
    pooled.messages++
    return next
  }

  private canGoOn({ session, messages }: Pooled): boolean {
    return !this.closing.signal.aborted && session.alive() && messages < this.settings.maxMessages
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

  /** A place is free: the first in line gets a session of its own. */
  private admitNext(): void {
    const next = this.line.shift()
    if (next) void this.connect(next)
  }
}
