import { DeliveryError } from '../port.ts'
import { type AnswerTimer, answerTimer } from './answer-timer.ts'
import type { Dialogue } from './dialogue.ts'
import type { Errand, Line } from './errand.ts'
import { deliveryError, sessionSurvives } from './failure.ts'
import { askEnvelope, type Extensions, envelopeOf, hearContent, hearEnvelope, type Prepared, prepare, reset } from './transaction.ts'

/** The session died before the mail had left this machine: it can be sent on another at once. */
export class NothingSent extends DeliveryError {}

/** A mail in the session's hands. `asked`: the server has its envelope; `left`: it may have the mail. */
type Carried = { readonly errand: Errand; readonly mail: Prepared; asked: boolean; left: boolean }

/** `callMs`: for each command; `answerMs`: for the answer to a mail. */
export type CourierTerms = Readonly<{
  dialogue: Dialogue
  extensions: Extensions
  callMs: number
  answerMs: number
  alive: () => boolean
}>

/**
 * Carries mails over one session, one after the other. Where the server can pipeline (RFC 2920), the envelope and DATA are one write, and
 * while mails wait in line the envelope of the next goes out in the same write as the mail before it: a write and a round trip a mail,
 * where step by step takes four. A mail is written only when its whole envelope was granted. When an answer to a mail is slow to come, the
 * next goes back into the line; the session then ends with that answer, because the server has an envelope that no mail follows.
 */
export class Courier {
  private readonly terms: CourierTerms
  private readonly timer: AnswerTimer
  /** At most two: one whose answer is waited for, and the next. */
  private readonly carried: Carried[] = []
  private line: Line | null = null
  private forsaken = false

  constructor(terms: CourierTerms) {
    this.terms = terms
    const { callMs, answerMs } = terms
    this.timer = answerTimer({ callMs, answerMs, slow: () => this.slow(), late: (what) => this.late(what) })
  }

  /** A reply has come: the next command has its time from now on. */
  heard(): void {
    this.timer.heard()
  }

  /** Resolves when the line is empty or the session has ended; every errand it took is settled then, or back in the line. */
  async carry(first: Errand, line: Line): Promise<void> {
    this.line = line
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
    } finally {
      this.timer.rest()
    }
  }

  /** Answers the one that was begun behind it. */
  private async carryOne(one: Carried, line: Line): Promise<Carried | null> {
    const { dialogue, extensions } = this.terms
    const { pipelining } = extensions
    this.timer.command()
    if (pipelining && !one.asked) dialogue.say(envelopeOf(one.mail), 3)
    const refusal = await (pipelining ? hearEnvelope : askEnvelope)(dialogue, one.mail)
    if (refusal !== null) {
      if (!sessionSurvives(refusal)) throw refusal
      await this.resetAfter(refusal)
      return null
    }
    const next = pipelining ? this.beginNext(line) : null
    if (this.terms.alive()) this.handOver(one)
    if (next === null) dialogue.say(one.mail.content, 1)
    else dialogue.say(one.mail.content + envelopeOf(next.mail), 4)
    const no = await hearContent(dialogue)
    this.settle(no)
    if (no !== null && !sessionSurvives(no)) throw no
    if (this.forsaken) throw new Error('the mail server has an envelope that no mail follows')
    return next
  }

  private handOver(one: Carried): void {
    one.left = true
    this.timer.mail()
    one.errand.handedOver?.()
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
    this.timer.rest()
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
    const one = { errand, mail: prepare(this.terms.extensions, errand.build()), asked: false, left: false }
    this.carried.push(one)
    return one
  }

  private settle(no: Error | null): void {
    const { errand } = this.carried.shift() ?? {}
    if (no === null) errand?.done()
    else errand?.failed(deliveryError(no))
  }

  /** The answer to a mail takes longer than a command may: others do not wait for it. */
  private slow(): void {
    const next = this.carried[1]
    if (next !== undefined) {
      this.carried.length = 1
      this.forsaken = true
      this.line?.putBack(next.errand)
    }
    this.line?.slow()
  }

  private late(what: 'command' | 'mail'): void {
    const { dialogue, callMs, answerMs } = this.terms
    const after = what === 'mail' ? `to the mail within ${answerMs} ms` : `within ${callMs} ms`
    dialogue.end(new DeliveryError('temporary', `no answer from the mail server ${after}`))
  }

  private giveUp(error: Error): void {
    const failure = deliveryError(error)
    this.terms.dialogue.end(failure)
    for (const { errand, left } of this.carried.splice(0)) {
      if (left) errand.failed(new DeliveryError('unconfirmed', failure.message))
      else errand.failed(failure.failure === 'temporary' ? new NothingSent('temporary', failure.message, failure) : failure)
    }
  }
}
