const SECOND_MS = 1_000

/** How many were taken in the second that began then, and in the one before it. */
export class Measure {
  #since = 0
  #now = 0
  #before = 0

  taken(): void {
    this.#beginSecond()
    this.#now++
  }

  /** A second, at the best. */
  perSecond(): number {
    this.#beginSecond()
    return Math.max(this.#now, this.#before)
  }

  #beginSecond(): void {
    const now = performance.now()
    const past = now - this.#since
    if (past < SECOND_MS) return
    this.#before = past < 2 * SECOND_MS ? this.#now : 0
    this.#now = 0
    this.#since = now
  }
}

/** The next try counts so much more than the one before it, and what was said so long ago half: some twenty tries, of the last moments. */
const KEPT = 0.95
const HALF_LIFE_MS = 10_000
/** Nothing counts any more so long after the last answer. */
const FORGET_MS = 30_000
/** A message that is taken outweighs two recipients that are refused: a scope has to refuse more than two of three. */
const TAKEN = 2
/** So many more refusals than acceptances mean that all are refused: that hardly happens by chance if three of ten have troubles of their own. */
const ALL_REFUSED = 12
const DOUBTFUL = 4
/** The time after the first such answer in which the possible rate of the scope is not known yet. */
const BEGINNING_MS = 10_000
/** So many refusals slow a scope down that has had nothing accepted a moment ago. */
const ALL_REFUSED_SO_FAR = 7
const MOMENT_MS = 10_000
/** The share of tries that are refused and accepted a moment later: in a scope that sends freely, and in one that is slowed down. */
const MANY = 0.15
const SOME = 0.06
/** The number that must have passed in a scope that sends freely. */
const MANY_HINTS = 2.5
/** A part of a scope that says so much alone says nothing more of the whole. */
const MAX_OF_PART = 6
const MAX_HINTS_OF_PART = 2

/**
 * The provider's answers about one scope in the last moments: a route, a workspace or the provider. It counts recipients and not tries, and shares and not times, so
 * that a few recipients whose own trouble it is slow down no other, and a limit is found at one message a second and at a thousand (M57).
 */
export class Tally {
  /** Recipients that were refused and are not outweighed by messages that were taken. */
  #excess = 0
  /** Recipients that were taken at their next try, and tries of others that were not while the scope took messages. */
  #passed = 0
  #lasting = 0
  /** Refused recipients that were accepted at their next try, at most as many as one part of the scope may add. */
  #hints = 0
  #tried = 0
  #refused = 0
  #at = performance.now()
  /** The time of that finding, which is made only once in a while. */
  #allRefusedAt = Number.NEGATIVE_INFINITY
  #takenAt = Number.NEGATIVE_INFINITY
  readonly #measure = new Measure()
  /** How many were taken at all. */
  taken = 0

  /** `wasRefused`: at its last try. `isNews`: the narrower scope does not say so all the time. True where that is news to the wider one as well. */
  accepted(wasRefused: boolean, isNews: boolean): boolean {
    this.#count(0)
    this.#takenAt = this.#at
    this.taken++
    this.#measure.taken()
    this.#excess = Math.max(0, this.#excess - TAKEN)
    if (wasRefused) this.#passed++
    if (!isNews) return false
    this.#hints++
    return this.#hints <= MAX_HINTS_OF_PART
  }

  /** The first refusal of a recipient. True where the wider scope learns from it. */
  refused(): boolean {
    this.#count(1)
    const isNews = this.#excess < MAX_OF_PART
    this.#excess = Math.min(ALL_REFUSED, this.#excess + 1)
    if (this.#excess === ALL_REFUSED && this.#at - this.#allRefusedAt > FORGET_MS) this.#allRefusedAt = this.#at
    return isNews
  }

  /** A recipient that was refused at `before` as well: its own trouble where others were taken meanwhile, else what is known stays so. */
  refusedAgain(before: number): void {
    if (this.#takenAt <= before) this.#at = performance.now()
    else this.#lasting++
  }

  /** Whether more than the troubles of single recipients may be behind the latest refusals. `isAgain`: whether that was waited for already. */
  isDoubtful(isAgain: boolean): boolean {
    return (!isAgain && this.#excess >= DOUBTFUL) || performance.now() - this.#allRefusedAt < BEGINNING_MS
  }

  works(withinMs: number): boolean {
    return performance.now() - this.#takenAt < withinMs
  }

  /** How many were taken in a second, a moment ago. */
  perSecond(): number {
    return this.#measure.perSecond()
  }

  /** Whether messages are refused because there are too many of them. `isLimited`: whether it is slowed down for that already. */
  isAsWhole(isLimited: boolean): boolean {
    if (this.#excess >= (this.works(MOMENT_MS) ? ALL_REFUSED : ALL_REFUSED_SO_FAR)) return true
    // Those of which nothing is known yet count as passing.
    const share = (this.#refused / this.#tried) * ((this.#passed + 1) / (this.#passed + this.#lasting + 1))
    return isLimited ? share >= SOME : share >= MANY && this.#hints >= MANY_HINTS
  }

  #count(refused: 0 | 1): void {
    const now = performance.now()
    const faded = 0.5 ** ((now - this.#at) / HALF_LIFE_MS)
    if (now - this.#at > FORGET_MS) this.#excess = 0
    this.#at = now
    this.#tried = this.#tried * faded * KEPT + 1
    this.#refused = this.#refused * faded * KEPT + refused
    this.#passed *= faded
    this.#lasting *= faded
    this.#hints *= faded
  }
}
