import { weakMemo } from '@tidings/async'
import pTimeout from 'p-timeout'
import type { Pool } from 'pg'
import { hearDue } from './due-channel.ts'

/**
 * Work that waits for its time outside the inbox. `sql`: an expression for when the first of it is due, in milliseconds from now or, with
 * `clock`, since 1970 by that clock; null where nothing waits.
 */
export type DueSource = Readonly<{ kind: string; sql: string; clock?: () => number }>

type Watch = Readonly<{ source: string | DueSource; onDue: () => void }>

/** `within`: something is due in so many milliseconds at the latest. */
export type DueWatch = Readonly<{ within: (ms: number) => void; stop: () => Promise<void> }>

/** The net below announcements, which may be lost. */
const QUIET_MS = 5_000
/** The poll while something is due that no process takes. */
const DUE_MS = 1_000
/** A connection that does not answer delays no other look, and no stop. */
const LATE_MS = 2_000
/** A job that is due in less is not worth a look of its own. */
const SHORTEST_MS = 50

const kindOf = ({ source }: Watch): string => (typeof source === 'string' ? source : source.kind)

/** One look for everything of a process that waits, when the first of it is due. */
class DueLook {
  readonly #pool: Pool
  readonly #watches = new Set<Watch>()
  #hearing: ReturnType<typeof hearDue> | undefined
  #timer: NodeJS.Timeout | undefined
  #lookAt = Number.POSITIVE_INFINITY
  #looking: Promise<void> | undefined

  constructor(pool: Pool) {
    this.#pool = pool
  }

  add(watch: Watch): DueWatch {
    this.#watches.add(watch)
    this.#hearing ??= hearDue(this.#pool, (kind) => this.#heard(kind))
    this.#within(SHORTEST_MS)
    return { within: (ms) => this.#within(ms), stop: () => this.#remove(watch) }
  }

  async #remove(watch: Watch): Promise<void> {
    this.#watches.delete(watch)
    if (this.#watches.size === 0) {
      clearTimeout(this.#timer)
      this.#lookAt = Number.POSITIVE_INFINITY
      const hearing = this.#hearing
      this.#hearing = undefined
      await hearing?.stop()
    }
    await this.#looking
  }

  #heard(kind: string | null): void {
    if (kind === null) this.#within(SHORTEST_MS)
    for (const watch of this.#watches) if (kindOf(watch) === kind) watch.onDue()
  }

  #within(ms: number): void {
    const lookAt = Math.min(performance.now() + Math.max(SHORTEST_MS, ms), this.#lookAt)
    this.#lookAt = lookAt
    if (this.#looking !== undefined || this.#watches.size === 0) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => {
        this.#lookAt = Number.POSITIVE_INFINITY
        // If the database is away or does not answer, the next look comes at its time.
        this.#looking = pTimeout(this.#look(), { milliseconds: LATE_MS })
          .catch(() => DUE_MS)
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
    const watches = [...this.#watches]
    const { rows } = await this.#pool.query<{ kind: string; ms: number | null }>(lookAt(watches.map(({ source }) => source)))
    const found = new Map(rows.map(({ kind, ms }) => [kind, ms]))
    const waits = watches.map((watch) => {
      const ms = msUntil(watch.source, found.get(kindOf(watch)))
      if (ms <= 0 && this.#watches.has(watch)) watch.onDue()
      return ms <= 0 ? DUE_MS : Math.ceil(ms)
    })
    return Math.min(QUIET_MS, ...waits)
  }
}

const msUntil = (source: string | DueSource, found: number | null | undefined): number => {
  if (found === null || found === undefined) return Number.POSITIVE_INFINITY
  return typeof source === 'string' || source.clock === undefined ? found : found - source.clock()
}

/** One statement, the same for the same sources. */
const lookAt = (sources: readonly (string | DueSource)[]) => {
  const others = sources.filter((source) => typeof source !== 'string').sort((a, b) => (a.kind < b.kind ? -1 : 1))
  const each = others.map(({ kind, sql }) => ` union all select '${kind}', (${sql})::float8`)
  return {
    name: ['first-due', ...others.map(({ kind }) => kind)].join(' '),
    text: `select kind, due_in_ms as ms from inbox.first_due($1)${each.join('')}`,
    values: [[...new Set(sources.filter((source) => typeof source === 'string'))]],
  }
}

const lookOf = weakMemo((pool: Pool) => new DueLook(pool))

/**
 * Calls `onDue` where something is due that no process has claimed: at once when another process announces it (`announceDue`), in the moment in which
 * what waited is due, and at the latest five seconds after it was written; again every second while it is due. `source`: the kind of a
 * job, or what waits elsewhere. All of a process share one statement: fourteen kinds that polled for themselves were 56 a second.
 */
export function watchDue(pool: Pool, source: string | DueSource, onDue: () => void): DueWatch {
  return lookOf(pool).add({ source, onDue })
}
