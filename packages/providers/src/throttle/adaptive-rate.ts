import { Measure } from './tally.ts'

/** Messages a second: never slower, so that a provider that takes messages again is found out soon. */
const SLOWEST = 0.5
/** What is begun with where nothing was taken a moment ago. */
const UNKNOWN = 5
const FIRST_DECREASE = 0.9
const DECREASE = 0.85
const NOTHING_TAKEN = 0.5
/** The increase for each accepted message, as a share of the rate a second. It doubles with every few seconds without another refusal. */
const INCREASE = 0.03
const DOUBLES_MS = 2_500
const MAX_DOUBLINGS = 5
/** So many doublings are tried when the rate that the provider bears is unknown. */
const MORE_DOUBLINGS = 4
/** The limit ends after so long without a refusal. */
const FORGET_MS = 120_000
/** Many servers count by the second: until the next one begins they refuse all, which says nothing more of the rate. */
const DECREASES_MS = 1_000
/** Nothing leaves for so long after a refusal; twice as long after each further one, until the provider accepts a message. */
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 1_000 / SLOWEST

/**
 * How fast messages may go to a provider that says when it is asked too often: without a limit until then, and from then on additive increase,
 * multiplicative decrease (M57). Refusals of messages that had left before a decrease are part of its reason and count once.
 */
export class AdaptiveRate {
  #perSecond: number | null = null
  #freeAt = 0
  #decreasedAt = Number.NEGATIVE_INFINITY
  #refusedAt = Number.NEGATIVE_INFINITY
  #pauseMs = FIRST_PAUSE_MS
  #acceptedSince = 0
  #isGuessed = true
  readonly #measure = new Measure()
  readonly #takenBefore: number

  /** `takenBefore`: how many were taken in a second, where that is known from elsewhere. */
  constructor(takenBefore = 0) {
    this.#takenBefore = takenBefore
  }

  isLimited(): boolean {
    if (this.#perSecond !== null && performance.now() - this.#decreasedAt > FORGET_MS) this.#perSecond = null
    return this.#perSecond !== null
  }

  nextAt(): number {
    return this.isLimited() ? this.#freeAt : 0
  }

  take(): void {
    if (this.#perSecond !== null) this.#freeAt = Math.max(this.#freeAt, performance.now()) + 1_000 / this.#perSecond
  }

  giveBack(): void {
    if (this.#perSecond !== null) this.#freeAt -= 1_000 / this.#perSecond
  }

  accepted(): void {
    this.#acceptedSince++
    this.#pauseMs = FIRST_PAUSE_MS
    if (this.#perSecond === null) {
      this.#measure.taken()
      return
    }
    const quietMs = performance.now() - this.#decreasedAt
    const doublings = Math.min(MAX_DOUBLINGS, Math.floor(quietMs / DOUBLES_MS) + (this.#isGuessed ? MORE_DOUBLINGS : 0))
    this.#perSecond += INCREASE * 2 ** doublings
  }

  /** `sentAt`: when the refused message was given to the provider. */
  refused(sentAt: number): void {
    const now = performance.now()
    if (sentAt < this.#refusedAt) return
    this.#refusedAt = now
    if (!this.isLimited() || now - this.#decreasedAt >= DECREASES_MS) this.#decrease(now)
    this.#freeAt = now + Math.max(this.#pauseMs, 1_000 / (this.#perSecond ?? UNKNOWN))
    this.#pauseMs = Math.min(MAX_PAUSE_MS, 2 * this.#pauseMs)
  }

  #decrease(now: number): void {
    this.#perSecond = Math.max(SLOWEST, this.isLimited() ? this.#lower() : this.#firstLimit())
    this.#decreasedAt = now
    this.#acceptedSince = 0
  }

  #lower(): number {
    if (this.#acceptedSince > 0) this.#isGuessed = false
    return (this.#perSecond ?? UNKNOWN) * (this.#acceptedSince === 0 ? NOTHING_TAKEN : DECREASE)
  }

  #firstLimit(): number {
    const measured = FIRST_DECREASE * Math.max(this.#measure.perSecond(), this.#takenBefore)
    this.#isGuessed = measured < UNKNOWN
    return Math.max(UNKNOWN, measured)
  }
}
