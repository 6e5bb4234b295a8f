import { setTimeout as sleep } from 'node:timers/promises'
import { pause, weakMemo } from '@tidings/async'
import { comparePositions, type Position } from '@tidings/event-store'
import type { Pool } from 'pg'
import { type OwnHeartbeat, ownHeartbeats } from './processes.ts'

/** A process that has not been heard of for this long is dead, and holds no cache that could answer anybody. */
const DEAD_AFTER_SECONDS = 5
const POLL_MS = 20
const OWN_POLL_MS = 1

/**
 * Resolves true when every live process that uses caches has seen the log up to `position`, false when one has not within `timeoutMs` (10 s). All
 * that wait in a process ask together: a burst of commands is one poll. Rows of processes that died are swept on the way.
 */
export async function waitForProcesses(pool: Pool, position: Position, options: Readonly<{ timeoutMs?: number }> = {}): Promise<boolean> {
  const deadline = performance.now() + (options.timeoutMs ?? 10_000)
  for (const own of ownHeartbeats(pool)) await seenPast(own, position, deadline)
  return await pollOf(pool).until(position, deadline)
}

const seenPast = async ({ position: seen }: OwnHeartbeat, position: Position, deadline: number): Promise<void> => {
  for (let at = seen(); at !== null && comparePositions(at, position) < 0 && performance.now() < deadline; at = seen())
    await sleep(OWN_POLL_MS)
}

type Waiter = Readonly<{ position: Position; deadline: number; end: (reached: boolean) => void; fail: (error: unknown) => void }>

const pollOf = weakMemo((pool: Pool) => new Poll(pool))

/** One poll of a process for all that wait. It runs while anything does. */
class Poll {
  readonly #pool: Pool
  readonly #waiting = new Set<Waiter>()
  #isRunning = false
  #resting = new AbortController()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  until(position: Position, deadline: number): Promise<boolean> {
    return new Promise((end, fail) => {
      this.#waiting.add({ position, deadline, end, fail })
      this.#resting.abort()
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    let isFirst = true
    while (this.#waiting.size > 0) {
      // One that came while the database was asked is of the next round.
      const asked = [...this.#waiting]
      await this.#round(asked, isFirst).catch((error: unknown) => this.#end(asked, (waiter) => waiter.fail(error)))
      isFirst = false
      this.#resting = new AbortController()
      if (this.#waiting.size > 0 && [...this.#waiting].every((waiter) => asked.includes(waiter))) await pause(POLL_MS, this.#resting.signal)
    }
    this.#isRunning = false
  }

  async #round(asked: readonly Waiter[], sweeps: boolean): Promise<void> {
    if (sweeps) await this.#pool.query(`delete from ops.process where heartbeat_at < clock_timestamp() - interval '1 minute'`)
    // The row is the truth: where it cannot be written, this process is found behind.
    for (const own of ownHeartbeats(this.#pool)) await own.tell().catch(() => undefined)
    const lowest = await this.#lowest()
    const isReached = ({ position }: Waiter): boolean => lowest === null || comparePositions(lowest, position) >= 0
    const now = performance.now()
    this.#end(asked.filter(isReached), (waiter) => waiter.end(true))
    this.#end(
      asked.filter((waiter) => !isReached(waiter) && now > waiter.deadline),
      (waiter) => waiter.end(false),
    )
  }

  /** How far the live process that is furthest behind has read; null where there is none. */
  async #lowest(): Promise<Position | null> {
    const { rows } = await this.#pool.query<Position>(
      `select position_commit as commit, position_prepare as prepare from ops.process
       where heartbeat_at > clock_timestamp() - make_interval(secs => $1) order by position_commit, position_prepare limit 1`,
      [DEAD_AFTER_SECONDS],
    )
    return rows[0] ?? null
  }

  #end(waiters: readonly Waiter[], end: (waiter: Waiter) => void): void {
    for (const waiter of waiters) {
      this.#waiting.delete(waiter)
      end(waiter)
    }
  }
}
