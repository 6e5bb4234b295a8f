import type { WorkspaceId } from '@tidings/domain'
import { DeliveryError, type SendOptions } from '../port.ts'
import { Throttled } from '../throttle/throttled.ts'
import { deliveryError, sessionSurvives } from './refusals.ts'
import {
  type CommandChannel,
  type Extensions,
  envelopeOf,
  type OutgoingMail,
  type PreparedMail,
  prepare,
  readContentReply,
  readEnvelopeReplies,
  reset,
  sendEnvelopeInSteps,
} from './transaction.ts'

/**
 * A mail that waits to be sent. Exactly one of `done`, with what the server said, and `failed` is called, once. `build` is called when a session has time for the mail, so
 * that the queue has no second copy of it; it may throw `DeliveryError`.
 */
export type PendingMail = SendOptions &
  Readonly<{ workspaceId: WorkspaceId; build: () => OutgoingMail; done: (answer: string) => void; failed: (error: unknown) => void }>

/**
 * The queue of pending mails as one session sees it. `take` gives null when the session must take no more. `markSlow`: a mail of this session
 * has waited for its answer longer than a command may, so the other mails must not count on this session. `isQuick`: answers come soon enough for
 * an envelope to be sent ahead; `noteAnswer`: how long one took.
 */
export type SessionQueue = Readonly<{
  take: () => PendingMail | null
  putBack: (mail: PendingMail) => void
  markSlow: () => void
  isQuick: () => boolean
  noteAnswer: (ms: number) => void
}>

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

/** The session ended before the mail had left this machine: it can be sent on another one at once. */
export class NothingSent extends DeliveryError {}

/**
 * A mail that the session has taken. `fencedAt`: when its fence agreed. `envelopeSent`: the server has its envelope; `contentSent`: it may have the
 * mail.
 */
type MailInFlight = {
  readonly pending: PendingMail
  readonly mail: PreparedMail
  readonly fencedAt: number
  envelopeSent: boolean
  contentSent: boolean
}

/** A fence that agreed so long ago is asked again before the mail leaves. */
const FENCE_MS = 100

/** `callMs`: for each command; `answerMs`: for the answer to a mail. */
type PipelineSettings = Readonly<{
  channel: CommandChannel
  extensions: Extensions
  callMs: number
  answerMs: number
  isAlive: () => boolean
}>

/**
 * Sends mails over one session, one after the other. Where the server can pipeline (RFC 2920), the envelope and DATA are one write, and while
 * mails are queued the envelope of the next goes out in the same write as the mail before it: one write and one round trip a mail, where
 * sending in steps takes four; not where the relay is slow to answer, since that mail would wait behind the answer. A mail is written only when
 * its whole envelope was accepted, and its fence agrees then: what was withdrawn meanwhile ends the session, because only that takes an envelope
 * back (M43). When the answer to a mail is slow, the next mail
 * goes back into the queue; the session then ends with that answer, because the server has an envelope that no mail follows.
 */
export class SmtpPipeline {
  readonly #settings: PipelineSettings
  readonly #timer: AnswerTimer
  /** The mails under way, at most two: one that waits for its answer, and the next. */
  readonly #inFlight: MailInFlight[] = []
  #queue: SessionQueue | null = null
  #endsAfterAnswer = false

  constructor(settings: PipelineSettings) {
    this.#settings = settings
    const { callMs, answerMs } = settings
    this.#timer = createAnswerTimer({ callMs, answerMs, onSlow: () => this.#onSlow(), onTimeout: (what) => this.#onTimeout(what) })
  }

  /** The next command has its full time from now on. */
  replyReceived(): void {
    this.#timer.replyReceived()
  }

  /** Resolves when the queue is empty or the session has ended; every mail it took is settled then, or back in the queue. */
  async send(first: PendingMail, queue: SessionQueue): Promise<void> {
    this.#queue = queue
    try {
      let current = await this.#begin(first)
      for (;;) {
        if (current !== null) {
          current = await this.#sendOne(current, queue)
          continue
        }
        const pending = this.#settings.isAlive() ? queue.take() : null
        if (pending === null) return
        current = await this.#begin(pending)
      }
    } catch (error) {
      this.#failAll(error as Error)
    } finally {
      this.#timer.idle()
    }
  }

  /** Gives the mail whose envelope went out with this one. */
  async #sendOne(current: MailInFlight, queue: SessionQueue): Promise<MailInFlight | null> {
    const { channel, extensions } = this.#settings
    const { pipelining } = extensions
    this.#timer.command()
    if (pipelining && !current.envelopeSent) channel.write(envelopeOf(current.mail), 3)
    const refusal = await (pipelining ? readEnvelopeReplies : sendEnvelopeInSteps)(channel, current.mail)
    if (refusal !== null) {
      if (!sessionSurvives(refusal)) throw refusal
      await this.#resetAfter(refusal)
      return null
    }
    if (!(await this.#maySendStill(current))) throw new Error('the mail server has an envelope that no mail follows')
    const next = pipelining && queue.isQuick() ? this.#beginNext(queue) : null
    if (this.#settings.isAlive()) this.#markContentSent(current)
    const leftAt = performance.now()
    if (next === null) channel.write(current.mail.content, 1)
    else channel.write(current.mail.content + envelopeOf(next.mail), 4)
    const answer = await readContentReply(channel)
    queue.noteAnswer(performance.now() - leftAt)
    this.#settleFirst(answer)
    if (typeof answer !== 'string' && !sessionSurvives(answer)) throw answer
    if (this.#endsAfterAnswer) throw new Error('the mail server has an envelope that no mail follows')
    return next
  }

  /** Right before the mail leaves, where its fence agreed a while ago or before the answer to another mail. */
  async #maySendStill({ pending, envelopeSent, fencedAt }: MailInFlight): Promise<boolean> {
    if (!envelopeSent && performance.now() - fencedAt < FENCE_MS) return true
    this.#timer.idle()
    try {
      await pending.fence()
      return true
    } catch (error) {
      this.#inFlight.shift()
      pending.failed(error)
      return false
    }
  }

  #markContentSent(current: MailInFlight): void {
    current.contentSent = true
    this.#timer.mail()
    current.pending.handedOver?.()
  }

  async #resetAfter(refusal: Error): Promise<void> {
    try {
      if (!(await reset(this.#settings.channel))) throw new Error('the mail server refused RSET')
    } finally {
      this.#settleFirst(refusal)
    }
  }

  /** Null when the mail has failed already. */
  async #begin(pending: PendingMail): Promise<MailInFlight | null> {
    this.#timer.idle()
    try {
      await pending.fence()
      return this.#add(pending)
    } catch (error) {
      pending.failed(error)
      return null
    }
  }

  /** The next mail whose fence agrees without waiting: the mail before it must not wait for a renewal. */
  #beginNext(queue: SessionQueue): MailInFlight | null {
    const pending = queue.take()
    if (pending === null) return null
    try {
      const waiting = pending.isFencedLast ? Promise.resolve() : pending.fence()
      if (waiting === undefined) return Object.assign(this.#add(pending), { envelopeSent: true })
      waiting.catch(() => undefined) // `begin` calls the fence again
      queue.putBack(pending)
    } catch (error) {
      pending.failed(error)
    }
    return null
  }

  #add(pending: PendingMail): MailInFlight {
    const mail = prepare(this.#settings.extensions, pending.build())
    const added = { pending, mail, fencedAt: performance.now(), envelopeSent: false, contentSent: false }
    this.#inFlight.push(added)
    return added
  }

  /** Ends the mail by the server's refusal, or by its answer when it took the mail. */
  #settleFirst(answer: Error | string): void {
    const { pending } = this.#inFlight.shift() ?? {}
    if (typeof answer === 'string') pending?.done(answer)
    else pending?.failed(deliveryError(answer))
  }

  #onSlow(): void {
    const next = this.#inFlight[1]
    if (next !== undefined) {
      this.#inFlight.length = 1
      this.#endsAfterAnswer = true
      this.#queue?.putBack(next.pending)
    }
    this.#queue?.markSlow()
  }

  #onTimeout(what: 'command' | 'mail'): void {
    const { channel, callMs, answerMs } = this.#settings
    const after = what === 'mail' ? `to the mail within ${answerMs} ms` : `within ${callMs} ms`
    channel.close(new DeliveryError('temporary', `no answer from the mail server ${after}`))
  }

  #failAll(error: Error): void {
    const failure = deliveryError(error)
    this.#settings.channel.close(failure)
    for (const { pending, contentSent } of this.#inFlight.splice(0)) {
      if (contentSent) pending.failed(new DeliveryError('unconfirmed', failure.message))
      else if (failure instanceof Throttled) pending.failed(failure)
      else pending.failed(failure.failure === 'temporary' ? new NothingSent('temporary', failure.message, failure) : failure)
    }
  }
}

/** `onSlow`: a mail has waited `callMs` for its answer. `onTimeout`: a command has waited `callMs`, or a mail `answerMs`. */
type AnswerTimes = Readonly<{ callMs: number; answerMs: number; onSlow: () => void; onTimeout: (what: 'command' | 'mail') => void }>

/**
 * The time a session has for its next answer. It is idle, or waits for the answer to a command, or to a mail; the latter may become slow.
 * `replyReceived`: the next command has its full time.
 */
type AnswerTimer = Readonly<{ command: () => void; replyReceived: () => void; mail: () => void; idle: () => void }>

type AwaitedAnswer = 'idle' | 'command' | 'mail' | 'slow mail'

/** One timer a session, set again when it is due: an answer in time costs one reading of the clock. */
function createAnswerTimer({ callMs, answerMs, onSlow, onTimeout }: AnswerTimes): AnswerTimer {
  let state: AwaitedAnswer = 'idle'
  let since = 0
  let timer: NodeJS.Timeout | undefined
  const leftMs = (): number => since + (state === 'slow mail' ? answerMs : callMs) - performance.now()
  const arm = (): void => {
    timer ??= setTimeout(due, Math.max(1, leftMs())).unref()
  }
  const due = (): void => {
    timer = undefined
    if (state === 'idle') return
    if (leftMs() > 1) arm()
    else if (state === 'mail') {
      state = 'slow mail'
      arm()
      onSlow()
    } else onTimeout(state === 'command' ? 'command' : 'mail')
  }
  const enter = (next: AwaitedAnswer): void => {
    // The timer of a slow mail is due much later; every other one is due before the new answer is late.
    if (state === 'slow mail') {
      clearTimeout(timer)
      timer = undefined
    }
    state = next
    since = performance.now()
    if (next !== 'idle') arm()
  }
  return {
    command: () => enter('command'),
    mail: () => enter('mail'),
    idle: () => enter('idle'),
    replyReceived: () => {
      if (state === 'command') since = performance.now()
    },
  }
}
