import { weakMemo } from '@tidings/async'
import pTimeout from 'p-timeout'
import type { Pool } from 'pg'

type Watch = Readonly<{ kind: string; onDue: () => void }>

/** `within`: a job is due in so many milliseconds at the latest. */
export type DueWatch = Readonly<{ within: (ms: number) => void; stop: () => Promise<void> }>

/** How late a job is noticed that another process admitted. */
const LOOK_MS = 1_000
/** A connection that does not answer holds up no other look, and no stop. */
const LATE_MS = 2_000
/** A job that is due in less is not worth a look of its own. */
const SHORTEST_MS = 50

/** One look for all kinds of a process, a second after the last one or when the next job is due. */
class DueLook {
  readonly #pool: Pool
  readonly #watches = new Set<Watch>()
  #timer: NodeJS.Timeout | undefined
  #lookAt = Number.POSITIVE_INFINITY
  #looking: Promise<void> | undefined

  constructor(pool: Pool) {
    this.#pool = pool
  }

  add(watch: Watch): DueWatch {
    this.#watches.add(watch)
    this.#within(LOOK_MS)
    return {
      within: (ms) => this.#within(ms),
      stop: async () => {
        this.#watches.delete(watch)
        if (this.#watches.size === 0) clearTimeout(this.#timer)
        await this.#looking
      },
    }
  }

  #within(ms: number): void {
    const lookAt = Math.min(performance.now() + Math.max(SHORTEST_MS, ms), this.#lookAt)
    this.#lookAt = lookAt
    if (this.#looking !== undefined || this.#watches.size === 0) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => {
        this.#lookAt = Number.POSITIVE_INFINITY
        // Where the database is away or does not answer, the next look is in its time.
        this.#looking = pTimeout(this.#look(), { milliseconds: LATE_MS })
          .catch(() => LOOK_MS)
          .then((nextMs) => {
            this.#looking = undefined
            this.#within(nextMs)
          })
      },
      Math.max(1, lookAt - performance.now()),
    )
    this.#timer.unref()
  }

  async #look(): Promise<number> {
    const kinds = [...new Set([...this.#watches].map(({ kind }) => kind))]
    const { rows } = await this.#pool.query<{ kind: string; ms: number }>({
      name: 'inbox-first-due',
      text: 'select kind, due_in_ms as ms from inbox.first_due($1)',
      values: [kinds],
    })
    const due = new Set(rows.filter(({ ms }) => ms <= 0).map(({ kind }) => kind))
    for (const { kind, onDue } of this.#watches) if (due.has(kind)) onDue()
    const later = rows.flatMap(({ ms }) => (ms > 0 ? [ms] : []))
    return Math.min(LOOK_MS, ...later.map(Math.ceil))
  }
}

const lookOf = weakMemo((pool: Pool) => new DueLook(pool))

/**
 * Calls `onDue` where a job of the kind is due that no process holds, at most a second after another process admitted it and in the
 * moment in which one that waited is due; again every second while one is. The kinds of a process share one statement a second: fourteen that
 * polled for themselves were 56.
 */
export function watchDue(pool: Pool, kind: string, onDue: () => void): DueWatch {
  return lookOf(pool).add({ kind, onDue })
}
