import type { Claimed, Settled, Settlement } from './settle-and-claim.ts'

/** So long, and at most twice as long, the jobs of an admission are one row; then each that is left is a row of its own, and its lane is free as soon as it is done. */
const BUNDLED_MS = 1_000

/** `left`: jobs that have not ended. */
type OpenBundle = { until: number; readonly done: Settled[]; left: number }

/**
 * The bundles that this process has claimed (`inbox.bundle`), by their tokens. That a job of one is done is written when all are. As soon as one is put off or
 * lost, or they take too long, it stops being a bundle, and what is done is written.
 */
export class Bundles {
  readonly #open = new Map<string, OpenBundle>()
  readonly #onLate: () => void
  #timer: NodeJS.Timeout | undefined

  /** `onLate`: a bundle takes too long. */
  constructor(onLate: () => void) {
    this.#onLate = onLate
  }

  /** What one admission has claimed. */
  add(claimed: readonly Claimed[]): void {
    const [first] = claimed
    if (first === undefined) return
    this.#open.set(first.token, { until: performance.now() + BUNDLED_MS, done: [], left: claimed.length })
    this.#watch()
  }

  /** It is no bundle any more. */
  open(token: string): void {
    const bundle = this.#open.get(token)
    if (bundle !== undefined) bundle.until = 0
  }

  /** What is to be written now of what is settled. */
  gather(settled: readonly Settlement[]): readonly Settlement[] {
    const ready: Settlement[] = []
    for (const one of settled) {
      const bundle = 'job' in one ? this.#open.get(one.job.token) : undefined
      if (bundle === undefined || !('job' in one)) ready.push(one)
      else if (one.again !== null) ready.push(...this.#opened(one.job.token, bundle), one)
      else {
        bundle.done.push(one)
        bundle.left -= 1
        if (bundle.left > 0) continue
        this.#open.delete(one.job.token)
        ready.push({ ended: one.job.token })
      }
    }
    const now = performance.now()
    for (const [token, bundle] of this.#open) if (bundle.until <= now) ready.push(...this.#opened(token, bundle))
    return ready
  }

  /** Makes no more bundles of what there is. */
  takeAll(): readonly Settlement[] {
    clearTimeout(this.#timer)
    return [...this.#open].flatMap(([token, bundle]) => this.#opened(token, bundle))
  }

  #opened(token: string, { done }: OpenBundle): readonly Settlement[] {
    this.#open.delete(token)
    return [{ unbundled: token }, ...done]
  }

  #watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      if (this.#open.size === 0) return
      this.#onLate()
      this.#watch()
    }, BUNDLED_MS).unref()
  }
}
