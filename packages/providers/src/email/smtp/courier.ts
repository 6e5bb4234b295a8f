import { DeliveryError } from '../port.ts'
import type { Dialogue } from './dialogue.ts'
import type { Errand, Line } from './errand.ts'
import { deliveryError, sessionSurvives } from './failure.ts'
import { askEnvelope, type Extensions, envelopeOf, hearContent, hearEnvelope, type Prepared, prepare, reset } from './transaction.ts'

/** The session died before the mail had left this machine: it can be sent on another at once. */
export class NothingSent extends DeliveryError {}

/** A mail in the session's hands. `since`: when its call began. `asked`: the server has its envelope; `left`: it may have the mail. */
type Carried = { readonly errand: Errand; readonly mail: Prepared; readonly since: number; asked: boolean; left: boolean }

export type CourierTerms = Readonly<{ dialogue: Dialogue; extensions: Extensions; callMs: number; alive: () => boolean }>

/**
 * Carries mails over one session, one after the other. Where the server can pipeline (RFC 2920), the envelope and DATA are one write, and
 * while mails wait in line the envelope of the next goes out in the same write as the mail before it: a write and a round trip a mail,
 * where step by step takes four. A mail is written only when its whole envelope was granted.
 */
export class Courier {
  private readonly terms: CourierTerms
  /** At most two: one whose answer is waited for, and the next. */
  private readonly carried: Carried[] = []
  private timer: NodeJS.Timeout | undefined

  constructor(terms: CourierTerms) {
    this.terms = terms
  }

  /** Resolves when the line is empty or the session has ended; every errand it took is settled then. */
  async carry(first: Errand, line: Line): Promise<void> {
    try {
      let at = await this.begin(first)
      for (;;) {
        if (at !== null) {
          at = await this.carryOne(at, line)
          continue
        }
        const errand = this.terms.alive() ? line.next() : null
        if (errand === null) return
        at = await this.begin(errand)
      }
    } catch (error) {
      this.giveUp(error as Error)
    }
  }

  /** Answers the one that was begun behind it. */
  private async carryOne(one: Carried, line: Line): Promise<Carried | null> {
    const { dialogue, extensions } = this.terms
    const { pipelining } = extensions
    if (pipelining && !one.asked) dialogue.say(envelopeOf(one.mail), 3)
    const refusal = await (pipelining ? hearEnvelope : askEnvelope)(dialogue, one.mail)
    if (refusal !== null) {
      if (!sessionSurvives(refusal)) throw refusal
      await this.resetAfter(refusal)
      return null
    }
    one.left = true
    const next = pipelining ? this.beginNext(line) : null
    if (next === null) dialogue.say(one.mail.content, 1)
    else dialogue.say(one.mail.content + envelopeOf(next.mail), 4)
    const no = await hearContent(dialogue)
    this.settle(no)
    if (no !== null && !sessionSurvives(no)) throw no
    return next
  }

  private async resetAfter(refusal: Error): Promise<void> {
    try {
      if (!(await reset(this.terms.dialogue))) throw new Error('the mail server refused RSET')
    } finally {
      this.settle(refusal)
    }
  }

  /** Null when the errand has failed already. */
  private async begin(errand: Errand): Promise<Carried | null> {
    try {
      await errand.fence()
      return this.take(errand)
    } catch (error) {
      errand.failed(error)
      return null
    }
  }

  /** The next whose fence holds without a question to anybody: nobody else's mail waits for the answer. */
  private beginNext(line: Line): Carried | null {
    const errand = line.next()
    if (errand === null) return null
    try {
      const asking = errand.fence()
      if (asking === undefined) return Object.assign(this.take(errand), { asked: true })
      asking.catch(() => undefined) // asked again when it is the errand's turn
      line.putBack(errand)
    } catch (error) {
      errand.failed(error)
    }
    return null
  }

  private take(errand: Errand): Carried {
    const { extensions, callMs } = this.terms
    const one = { errand, mail: prepare(extensions, errand.build()), since: performance.now(), asked: false, left: false }
    this.carried.push(one)
    // One timer a session, set again when it is due: a mail needs none of its own.
    this.timer ??= setTimeout(() => this.late(), callMs).unref()
    return one
  }

  private settle(no: Error | null): void {
    const { errand } = this.carried.shift() ?? {}
    if (no === null) errand?.done()
    else errand?.failed(deliveryError(no))
  }

  private late(): void {
    const { dialogue, callMs } = this.terms
    const oldest = this.carried[0]
    this.timer = undefined
    if (oldest === undefined) return
    const leftMs = oldest.since + callMs - performance.now()
    if (leftMs > 1) this.timer = setTimeout(() => this.late(), leftMs).unref()
    else dialogue.end(new DeliveryError('temporary', `no answer from the mail server within ${callMs} ms`))
  }

  private giveUp(error: Error): void {
    const failure = deliveryError(error)
    this.terms.dialogue.end(failure)
    for (const { errand, left } of this.carried.splice(0)) {
      const nothingSent = !left && failure.failure === 'temporary'
      errand.failed(nothingSent ? new NothingSent('temporary', failure.message, failure) : failure)
    }
  }
}
