import { setTimeout as pause } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { admit } from './admit.ts'
import { afterFault } from './after-fault.ts'
import { cutShort } from './cut-short.ts'
import { LeaseLost, type NewJob, type Verdict } from './job.ts'
import type { LanesOptions, RunningLanes } from './lanes.ts'
import { type ClaimedLease, type LeaseTerms, leaseOn } from './lease.ts'
import { RecentlyTold } from './recently-told.ts'
import { type Claimed, idOf, type Settled, takeTurn } from './turn.ts'

/** A turn settles and claims in one statement; pausing this long between turns under load makes the statements fewer and fuller. */
const TURN_GAP_MS = 4
/**
 * Where every job is claimed as it is admitted, a turn only tells what is done: five jobs cost as much as fifty. A lane with a next job
 * makes turns claim, at the short pace.
 */
const QUIET_GAP_MS = 20
const QUIET_AFTER_MS = 100
/** What was aborted, and the last word to the database, get this long. */
const AFTER_ABORT_MS = 1_000

/** Runs a kind's jobs: many lanes at once, one job a lane, in the lane's order. Memory is bounded by twice `concurrency`. */
export function runLanes(options: LanesOptions): RunningLanes {
  const run = new LaneRunner(options)
  run.start()
  return {
    admit: (tx, jobs) => run.admit(tx, jobs),
    wake: () => run.wake(),
    load: () => ({ running: run.running, waiting: run.ready.length }),
    stop: (graceMs = 8_000) => run.drain(graceMs),
  }
}

/** `ready` are claimed and not begun, `running` at work, `settled` through but not yet told to the database. */
class LaneRunner {
  ready: ClaimedLease[] = []
  running = 0
  private settled: Settled[] = []
  private readonly told = new RecentlyTold()
  private readonly held = new Map<string, ClaimedLease>()
  private after: string | null = null
  /** Claimed by a transaction that has not ended; one that is rolled back is forgotten at the next. */
  private offered = 0
  /** Jobs may wait to be claimed: what is admitted must not overtake them. */
  private behind = true
  private claimedAt = 0
  private stopping = false
  /** Stopping took too long: what is still open is left to the leases. */
  private overdue = false
  private looping: Promise<void> = Promise.resolve()
  private readonly nothingToDo = cutShort()
  private readonly afterFailure = cutShort()
  private readonly aborted = new AbortController()
  private readonly settings: Required<Pick<LanesOptions, 'concurrency' | 'leaseMs' | 'pollMs' | 'faultDelaysMs'>>
  private readonly options: LanesOptions

  constructor(options: LanesOptions) {
    this.options = options
    const { concurrency = 64, leaseMs = 30_000, pollMs = 250, faultDelaysMs = [5_000, 10_000, 20_000, 40_000] } = options
    this.settings = { concurrency, leaseMs, pollMs, faultDelaysMs }
  }

  wake(): void {
    this.nothingToDo.cut()
  }

  start(): void {
    this.looping = this.loop()
  }

  private async loop(): Promise<void> {
    while (!this.overdue && !(this.stopping && this.running === 0 && this.settled.length === 0)) {
      this.nothingToDo.forget()
      const took = await this.turn()
      if (took === 'failed') await this.afterFailure.pause(500)
      else if (took === 'more') await pause(TURN_GAP_MS)
      else await this.rest()
    }
  }

  /** Until something happened or the poll is due; then a moment more: what happens together is settled together. */
  private async rest(): Promise<void> {
    await this.nothingToDo.pause(this.settings.pollMs)
    const quiet = !this.behind && !this.stopping && performance.now() - this.claimedAt > QUIET_AFTER_MS
    if (this.running > 0) await pause(quiet ? QUIET_GAP_MS : TURN_GAP_MS)
  }

  private async turn(): Promise<'more' | 'idle' | 'failed'> {
    const { pool, kind } = this.options
    const settled = this.settled
    const limit = this.room()
    if (settled.length === 0 && limit === 0) return 'idle'
    this.settled = []
    const askedAt = performance.now()
    const terms = { pool, kind, leaseMs: this.settings.leaseMs, askedAt }
    try {
      const { claimed, after } = await takeTurn(pool, { ...terms, settled, limit, after: this.after })
      this.told.note(settled)
      this.after = after
      if (limit > 0) this.behind = claimed.length === limit || after !== null
      if (claimed.length > 0) this.claimedAt = performance.now()
      for (const job of claimed) this.hold(job, terms)
      this.pump()
      return claimed.length > 0 || after !== null ? 'more' : 'idle'
    } catch (error) {
      // The tokens make a repetition harmless.
      this.settled = [...this.told.afterFault(), ...settled, ...this.settled]
      this.options.onFault?.(error, null)
      return 'failed'
    }
  }

  private room(): number {
    if (this.stopping || this.options.isPaused?.() === true) return 0
    return Math.max(0, 2 * this.settings.concurrency - this.ready.length - this.running - this.offered)
  }

  async admit(tx: ClientBase, jobs: readonly NewJob[]): Promise<() => void> {
    this.offered = 0
    const { pool, kind, leaseMs } = { ...this.options, ...this.settings }
    const askedAt = performance.now()
    const { fresh, claimed } = await admit(tx, kind, jobs, { room: this.behind ? 0 : this.room(), leaseMs })
    this.offered = claimed.length
    return () => {
      this.offered = 0
      for (const job of claimed) this.hold(job, { pool, kind, leaseMs, askedAt })
      this.pump()
      if (claimed.length === fresh) return
      this.behind = true
      this.wake()
    }
  }

  /** A lease can run out, and a crash of Postgres forget a claim, while we are at work: what we claim again goes on under the new claim. */
  private hold(job: Claimed, terms: LeaseTerms): void {
    const inHand = this.held.get(idOf(job))
    if (inHand) inHand.adopt(job, terms.askedAt)
    else {
      const lease = leaseOn(job, terms)
      this.held.set(idOf(job), lease)
      this.ready.push(lease)
    }
  }

  private pump(): void {
    if (this.stopping) this.giveBack()
    while (this.running < this.settings.concurrency) {
      const next = this.ready.shift()
      if (next === undefined) return
      this.running++
      void this.runOne(next)
    }
  }

  private async runOne(lease: ClaimedLease): Promise<void> {
    const verdict = await this.outcome(lease)
    const job = lease.claim()
    this.running--
    this.held.delete(idOf(job))
    if (verdict !== 'lost') this.settled.push({ job, again: verdict === 'done' ? null : verdict })
    this.pump()
    this.wake()
  }

  private async outcome(lease: ClaimedLease): Promise<Verdict | 'lost'> {
    try {
      return await this.options.work(lease.claim(), lease, this.aborted.signal)
    } catch (error) {
      if (error instanceof LeaseLost) return 'lost'
      if (this.aborted.signal.aborted) return { inMs: 0, counts: false, reason: 'stopped' }
      const job = lease.claim()
      this.options.onFault?.(error, job)
      return await afterFault({ pool: this.options.pool, kind: this.options.kind, faultDelaysMs: this.settings.faultDelaysMs }, job, error)
    }
  }

  async drain(graceMs: number): Promise<void> {
    this.stopping = true
    this.giveBack()
    this.wake()
    this.afterFailure.cut()
    const abort = setTimeout(() => this.aborted.abort(), graceMs)
    const leave = setTimeout(() => {
      this.overdue = true
      this.wake()
      this.afterFailure.cut()
    }, graceMs + AFTER_ABORT_MS)
    await this.looping
    clearTimeout(abort)
    clearTimeout(leave)
  }

  /** What was taken over is left to its lease: the next worker is to know that it takes it over. */
  private giveBack(): void {
    for (const job of this.ready.splice(0).map((lease) => lease.claim())) {
      this.held.delete(idOf(job))
      if (!job.takenOver) this.settled.push({ job, again: { inMs: 0, counts: false, reason: 'stopped' } })
    }
  }
}
