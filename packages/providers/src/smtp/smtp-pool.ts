import { createOutage, type Outage } from '../outage.ts'
import { DeliveryError } from '../port.ts'
import { FairQueue, type Queued } from '../queue/fair-queue.ts'
import { SlotLimits } from '../queue/slot-limits.ts'
import { openSession, type SessionSettings, type SmtpSession } from './session.ts'
import { type PendingMail, RelaySpeed, type SessionQueue } from './smtp-pipeline.ts'

/**
 * `max` sessions at once, and as many again that wait for a slow answer; one is closed after `maxMessages`, or after `idleMs` without work.
 * `onOutage` gets why no mail can leave, and null when that is over.
 */
type SmtpPoolSettings = SessionSettings &
  Readonly<{ max: number; maxMessages: number; idleMs: number; onOutage: (reason: string | null) => void }>

/** The pause before the pool opens another session, if the server refused one while it serves others. */
const AFTER_REFUSED_SESSION_MS = 5_000

const CLOSING = 'the mail provider is being closed'

/**
 * A session is idle or sends, until it ends, has sent `maxMessages` or was idle too long. A mail that finds no session is queued: a session that
 * becomes free takes the next by class and workspace (M43), and so does a new one in the slot of one that ended. When no session can be opened
 * and none is usable, that is an outage: the queued mails fail at once.
 */
export class SmtpPool {
  readonly #settings: SmtpPoolSettings
  readonly #slots: SessionSlots
  readonly #limits: SlotLimits
  readonly #speed = new RelaySpeed()
  readonly #idle: PooledSession[] = []
  readonly #queue = new FairQueue<PendingMail>()
  readonly #closing = new AbortController()
  readonly #outage: Outage
  #refusedUntil = 0

  constructor(settings: SmtpPoolSettings) {
    this.#settings = settings
    this.#slots = new SessionSlots(settings.max)
    this.#limits = new SlotLimits({ slots: settings.max, carriesPasscodes: false })
    this.#outage = createOutage({
      isOver: async () => {
        const session = await openSession(settings)
        this.#limits.resize(settings.max)
        // Refusals from before the outage say nothing about the server that is back.
        this.#refusedUntil = 0
        this.#release(this.#slots.add(session))
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
    const reason = this.outageReason() ?? (mail.signal.aborted ? STOPPED : null)
    if (reason !== null) {
      mail.failed(new DeliveryError('outage', reason))
      return
    }
    this.#queue.push(mail)?.failed(new DeliveryError('outage', 'too many mails of the workspace wait for the mail server'))
    this.#dispatch()
  }

  /** A mail that still waits fails. */
  cancel(mail: PendingMail): void {
    if (this.#queue.delete(mail)) mail.failed(new DeliveryError('outage', STOPPED))
  }

  /** Sessions that are sending are closed when they are released. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#failQueue(CLOSING)
    for (const pooled of this.#idle.splice(0)) this.#remove(pooled)
  }

  #dispatch(): void {
    while (this.#dispatchNext());
  }

  /** The next mail of the queue gets an idle session, or a new one. False where none of either can be had now. */
  #dispatchNext(): boolean {
    if (this.#queue.size === 0 || !(this.#hasIdle() || this.#canConnect())) return false
    const mail = this.#queue.take((next) => this.#limits.mayTake(next))
    if (mail === undefined) return false
    this.#limits.take(mail)
    const session = this.#idle.pop()
    if (session === undefined) void this.#connect(mail)
    else {
      clearTimeout(session.idleTimer)
      session.holder = mail
      void this.#run(session, mail)
    }
    return true
  }

  /** Forgets those that ended while they were idle. */
  #hasIdle(): boolean {
    for (let pooled = this.#idle.at(-1); pooled !== undefined; pooled = this.#idle.at(-1)) {
      if (pooled.session.isAlive()) return true
      this.#idle.pop()
      clearTimeout(pooled.idleTimer)
      this.#slots.remove(pooled)
    }
    return false
  }

  #canConnect(): boolean {
    return this.#slots.inUse() === 0 || (this.#slots.hasRoom() && performance.now() >= this.#refusedUntil)
  }

  async #connect(mail: PendingMail): Promise<void> {
    this.#slots.beginConnecting()
    try {
      const session = await openSession(this.#settings).finally(() => this.#slots.endConnecting())
      const pooled = this.#slots.add(session)
      pooled.holder = mail
      this.#limits.resize(this.#settings.max)
      void this.#run(pooled, mail)
    } catch (error) {
      this.#limits.release(mail)
      this.#queue.pushFirst(mail)
      this.#onConnectFailed(error as DeliveryError)
    }
  }

  #onConnectFailed(error: DeliveryError): void {
    if (this.#closing.signal.aborted) this.#failQueue(CLOSING)
    else if (this.#slots.hasUsableSession()) {
      this.#refusedUntil = performance.now() + AFTER_REFUSED_SESSION_MS
      this.#limits.resize(Math.max(1, this.#slots.inUse()))
      setTimeout(() => this.#tryFurtherSession(), AFTER_REFUSED_SESSION_MS + 1).unref()
      this.#dispatch()
    } else {
      this.#outage.begin(error.message)
      this.#failQueue(error.message)
    }
  }

  /** The refused session took its slot away; without a slot for it no further one is opened. */
  #tryFurtherSession(): void {
    this.#limits.resize(this.#settings.max)
    this.#dispatch()
  }

  #failQueue(reason: string): void {
    for (const mail of this.#queue.drain()) mail.failed(new DeliveryError('outage', reason))
  }

  async #run(pooled: PooledSession, first: PendingMail): Promise<void> {
    const queue: SessionQueue = {
      take: () => this.#takeFor(pooled),
      putBack: (mail) => {
        pooled.messages--
        this.#queue.pushFirst(mail)
      },
      markSlow: () => {
        this.#letGo(pooled)
        this.#slots.detach(pooled)
        this.#dispatch()
      },
      isQuick: () => this.#speed.isQuick(),
      noteAnswer: (ms) => this.#speed.note(ms),
    }
    pooled.messages++
    for (let mail: PendingMail | null = first; mail !== null; mail = queue.take()) await pooled.session.send(mail, queue)
    this.#release(pooled)
  }

  #release(pooled: PooledSession): void {
    this.#letGo(pooled)
    if (this.#canContinue(pooled)) this.#keepIdle(pooled)
    else this.#remove(pooled)
    this.#dispatch()
  }

  /** The next mail has the slot of the one before it from now on. */
  #takeFor(pooled: PooledSession): PendingMail | null {
    const next = this.#canContinue(pooled) ? this.#queue.take((queued) => this.#limits.mayTake(queued, pooled.holder)) : undefined
    if (next === undefined) return null
    this.#letGo(pooled)
    this.#limits.take(next)
    pooled.holder = next
    pooled.messages++
    return next
  }

  #letGo(pooled: PooledSession): void {
    if (pooled.holder !== null) this.#limits.release(pooled.holder)
    pooled.holder = null
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
      this.#dispatch()
    }, this.#settings.idleMs)
    pooled.idleTimer.unref()
  }

  #remove(pooled: PooledSession): void {
    clearTimeout(pooled.idleTimer)
    this.#slots.remove(pooled)
    pooled.session.close()
  }
}

const STOPPED = 'stopped while the mail waited for the mail server'

/** `holder`: whose mail it sends. `slow`: its answer takes long. `detached`: it does not count as one of the `max` meanwhile. */
type PooledSession = {
  readonly session: SmtpSession
  messages: number
  holder: Queued | null
  idleTimer: NodeJS.Timeout | undefined
  slow: boolean
  detached: boolean
}

/** The sessions of a pool: at most `max`, those that are being opened included, and at most as many again that wait for a slow answer. */
class SessionSlots {
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
