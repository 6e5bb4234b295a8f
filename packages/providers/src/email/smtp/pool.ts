import { DeliveryError } from '../port.ts'
import type { Errand, Line } from './errand.ts'
import { type Outage, watchOutage } from './outage.ts'
import { openSession, type SessionSettings } from './session.ts'
import { type Pooled, SessionPlaces } from './session-places.ts'

/**
 * `max` sessions at once, and as many again that wait for a slow answer; one is closed after `maxMessages`, or when it had nothing to do
 * for `idleMs`. `onOutage` hears why no mail can leave, and null when that is over.
 */
export type SmtpPoolSettings = SessionSettings &
  Readonly<{ max: number; maxMessages: number; idleMs: number; onOutage: (why: string | null) => void }>

/** A server that keeps some sessions and refuses another has its reasons: the next is tried after this long. */
const AFTER_REFUSED_SESSION_MS = 5_000

const CLOSING = 'the mail provider is being closed'

/**
 * A session is idle or at work, until it dies, is worn out or has idled too long. An errand that finds none waits in line: a session that
 * comes free takes the first of it, and so does the place of one that went. The line is as long as the callers make it: they bound their
 * number. When no session can be opened and none is of use, that is an outage: what waits fails with it at once.
 */
export class SmtpPool {
  private readonly settings: SmtpPoolSettings
  private readonly places: SessionPlaces
  private readonly idle: Pooled[] = []
  private readonly line: Errand[] = []
  private readonly closing = new AbortController()
  private readonly outage: Outage
  private refusedUntil = 0

  constructor(settings: SmtpPoolSettings) {
    this.settings = settings
    this.places = new SessionPlaces(settings.max)
    this.outage = watchOutage({
      open: () => openSession(settings),
      over: (session) => this.free(this.places.enter(session)),
      changed: settings.onOutage,
      signal: this.closing.signal,
    })
  }

  /** Why no mail can leave, null while it can. */
  whyNot(): string | null {
    return this.closing.signal.aborted ? CLOSING : this.outage.why()
  }

  /** Sends it out with a session, now or later. It fails with `DeliveryError` when none can be opened. */
  send(errand: Errand): void {
    const why = this.whyNot()
    if (why === null) {
      this.line.push(errand)
      this.admitNext()
    } else errand.failed(new DeliveryError('outage', why))
  }

  /** Sessions at work are closed as they come back. */
  async close(): Promise<void> {
    this.closing.abort()
    this.failLine(CLOSING)
    for (const pooled of this.idle.splice(0)) this.drop(pooled)
  }

  /** The first in line gets an idle session, or one of its own. */
  private admitNext(): void {
    if (this.line.length === 0) return
    const session = this.takeIdle()
    if (session === null && !this.mayConnect()) return
    const errand = this.line.shift() as Errand
    if (session === null) void this.connect(errand)
    else void this.work(session, errand)
  }

  private takeIdle(): Pooled | null {
    for (let pooled = this.idle.pop(); pooled; pooled = this.idle.pop()) {
      clearTimeout(pooled.idleTimer)
      if (pooled.session.alive()) return pooled
      this.places.leave(pooled)
    }
    return null
  }

  private mayConnect(): boolean {
    return this.places.taken() === 0 || (this.places.isFree() && performance.now() >= this.refusedUntil)
  }

  private async connect(errand: Errand): Promise<void> {
    this.places.beginConnecting()
    try {
      const session = await openSession(this.settings).finally(() => this.places.endConnecting())
      void this.work(this.places.enter(session), errand)
    } catch (error) {
      this.line.unshift(errand)
      this.notOpened(error as DeliveryError)
    }
  }

  private notOpened(error: DeliveryError): void {
    if (this.closing.signal.aborted) this.failLine(CLOSING)
    else if (this.places.isUsable()) {
      this.refusedUntil = performance.now() + AFTER_REFUSED_SESSION_MS
      setTimeout(() => this.admitNext(), AFTER_REFUSED_SESSION_MS + 1).unref()
      this.admitNext()
    } else {
      this.outage.begin(error)
      this.failLine(error.message)
    }
  }

  private failLine(why: string): void {
    for (const errand of this.line.splice(0)) errand.failed(new DeliveryError('outage', why))
  }

  private async work(pooled: Pooled, first: Errand): Promise<void> {
    const line: Line = {
      next: () => this.nextFor(pooled),
      putBack: (errand) => {
        pooled.messages--
        this.line.unshift(errand)
      },
      slow: () => {
        this.places.setAside(pooled)
        this.admitNext()
      },
    }
    pooled.messages++
    for (let errand: Errand | null = first; errand !== null; errand = line.next()) await pooled.session.carry(errand, line)
    this.free(pooled)
  }

  private free(pooled: Pooled): void {
    if (this.goesOn(pooled)) this.rest(pooled)
    else this.drop(pooled)
    this.admitNext()
  }

  private nextFor(pooled: Pooled): Errand | null {
    const next = this.goesOn(pooled) ? this.line.shift() : undefined
    if (next === undefined) return null
    pooled.messages++
    return next
  }

  /** One that was set aside goes on only where it finds its place again. */
  private goesOn(pooled: Pooled): boolean {
    const usable = !this.closing.signal.aborted && pooled.session.alive() && pooled.messages < this.settings.maxMessages
    return usable && this.places.comeBack(pooled)
  }

  private rest(pooled: Pooled): void {
    this.idle.push(pooled)
    pooled.idleTimer = setTimeout(() => {
      this.idle.splice(this.idle.indexOf(pooled), 1)
      this.drop(pooled)
      this.admitNext()
    }, this.settings.idleMs)
    pooled.idleTimer.unref()
  }

  private drop(pooled: Pooled): void {
    clearTimeout(pooled.idleTimer)
    this.places.leave(pooled)
    pooled.session.close()
  }
}
