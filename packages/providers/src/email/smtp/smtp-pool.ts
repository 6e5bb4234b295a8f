import { createOutage, type Outage } from '../../outage.ts'
import { DeliveryError } from '../../port.ts'
import type { PendingMail, SessionQueue } from './pending-mail.ts'
import { openSession, type SessionSettings } from './session.ts'
import { type PooledSession, SessionSlots } from './session-slots.ts'

/**
 * `max` sessions at once, and as many again that wait for a slow answer; one is closed after `maxMessages`, or after `idleMs` without work.
 * `onOutage` gets why no mail can leave, and null when that is over.
 */
type SmtpPoolSettings = SessionSettings &
  Readonly<{ max: number; maxMessages: number; idleMs: number; onOutage: (reason: string | null) => void }>

/** After this long the pool opens another session where the server refused one while it serves others. */
const AFTER_REFUSED_SESSION_MS = 5_000

const CLOSING = 'the mail provider is being closed'

/**
 * A session is idle or sends, until it ends, has sent `maxMessages` or was idle too long. A mail that finds no session is queued: a session
 * that becomes free takes the first, and so does a new one in the slot of one that ended. The callers bound the length of the queue. When no
 * session can be opened and none is usable, that is an outage: the queued mails fail at once.
 */
export class SmtpPool {
  readonly #settings: SmtpPoolSettings
  readonly #slots: SessionSlots
  readonly #idle: PooledSession[] = []
  readonly #queue: PendingMail[] = []
  readonly #closing = new AbortController()
  readonly #outage: Outage
  #refusedUntil = 0

  constructor(settings: SmtpPoolSettings) {
    this.#settings = settings
    this.#slots = new SessionSlots(settings.max)
    this.#outage = createOutage({
      isOver: async () => {
        this.#release(this.#slots.add(await openSession(settings)))
        return true
      },
      onChange: settings.onOutage,
      signal: this.#closing.signal,
    })
  }

  /** Why no mail can leave, null while it can. */
  outageReason(): string | null {
    return this.#closing.signal.aborted ? CLOSING : this.#outage.reason()
  }

  /** Sends the mail on a session, now or later. It fails with `DeliveryError` when none can be opened. */
  send(mail: PendingMail): void {
    const reason = this.outageReason()
    if (reason === null) {
      this.#queue.push(mail)
      this.#dispatchNext()
    } else mail.failed(new DeliveryError('outage', reason))
  }

  /** Sessions that are sending are closed when they are released. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#failQueue(CLOSING)
    for (const pooled of this.#idle.splice(0)) this.#remove(pooled)
  }

  /** The first mail of the queue gets an idle session, or a new one. */
  #dispatchNext(): void {
    if (this.#queue.length === 0) return
    const session = this.#takeIdle()
    if (session === null && !this.#canConnect()) return
    const mail = this.#queue.shift() as PendingMail
    if (session === null) void this.#connect(mail)
    else void this.#run(session, mail)
  }

  #takeIdle(): PooledSession | null {
    for (let pooled = this.#idle.pop(); pooled; pooled = this.#idle.pop()) {
      clearTimeout(pooled.idleTimer)
      if (pooled.session.isAlive()) return pooled
      this.#slots.remove(pooled)
    }
    return null
  }

  #canConnect(): boolean {
    return this.#slots.inUse() === 0 || (this.#slots.hasRoom() && performance.now() >= this.#refusedUntil)
  }

  async #connect(mail: PendingMail): Promise<void> {
    this.#slots.beginConnecting()
    try {
      const session = await openSession(this.#settings).finally(() => this.#slots.endConnecting())
      void this.#run(this.#slots.add(session), mail)
    } catch (error) {
      this.#queue.unshift(mail)
      this.#onConnectFailed(error as DeliveryError)
    }
  }

  #onConnectFailed(error: DeliveryError): void {
    if (this.#closing.signal.aborted) this.#failQueue(CLOSING)
    else if (this.#slots.hasUsableSession()) {
      this.#refusedUntil = performance.now() + AFTER_REFUSED_SESSION_MS
      setTimeout(() => this.#dispatchNext(), AFTER_REFUSED_SESSION_MS + 1).unref()
      this.#dispatchNext()
    } else {
      this.#outage.begin(error.message)
      this.#failQueue(error.message)
    }
  }

  #failQueue(reason: string): void {
    for (const mail of this.#queue.splice(0)) mail.failed(new DeliveryError('outage', reason))
  }

  async #run(pooled: PooledSession, first: PendingMail): Promise<void> {
    const queue: SessionQueue = {
      take: () => this.#takeFor(pooled),
      putBack: (mail) => {
        pooled.messages--
        this.#queue.unshift(mail)
      },
      markSlow: () => {
        this.#slots.detach(pooled)
        this.#dispatchNext()
      },
    }
    pooled.messages++
    for (let mail: PendingMail | null = first; mail !== null; mail = queue.take()) await pooled.session.send(mail, queue)
    this.#release(pooled)
  }

  #release(pooled: PooledSession): void {
    if (this.#canContinue(pooled)) this.#keepIdle(pooled)
    else this.#remove(pooled)
    this.#dispatchNext()
  }

  #takeFor(pooled: PooledSession): PendingMail | null {
    const next = this.#canContinue(pooled) ? this.#queue.shift() : undefined
    if (next === undefined) return null
    pooled.messages++
    return next
  }

  /** A detached session continues only where a slot is free for it. */
  #canContinue(pooled: PooledSession): boolean {
    const usable = !this.#closing.signal.aborted && pooled.session.isAlive() && pooled.messages < this.#settings.maxMessages
    return usable && this.#slots.reattach(pooled)
  }

  #keepIdle(pooled: PooledSession): void {
    this.#idle.push(pooled)
    pooled.idleTimer = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(pooled), 1)
      this.#remove(pooled)
      this.#dispatchNext()
    }, this.#settings.idleMs)
    pooled.idleTimer.unref()
  }

  #remove(pooled: PooledSession): void {
    clearTimeout(pooled.idleTimer)
    this.#slots.remove(pooled)
    pooled.session.close()
  }
}
