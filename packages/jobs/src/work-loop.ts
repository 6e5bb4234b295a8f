/** The outcomes of jobs, until they are written. */
export class Settlements<Settlement> {
  #waiting: Settlement[] = []

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  add(settled: readonly Settlement[]): void {
    this.#waiting = this.#waiting.concat(settled)
  }

  addFirst(settled: readonly Settlement[]): void {
    this.#waiting = settled.concat(this.#waiting)
  }

  /** Puts something else in the place of what waits. */
  replace(by: (settled: readonly Settlement[]) => readonly Settlement[]): void {
    this.#waiting = [...by(this.#waiting)]
  }

  /** Writes all that waits; what could not be written waits again, before what came meanwhile. */
  async flush<Answer>(write: (settled: readonly Settlement[]) => Promise<Answer>): Promise<Answer> {
    const settled = this.#waiting
    this.#waiting = []
    try {
      return await write(settled)
    } catch (error) {
      this.#waiting = settled.concat(this.#waiting)
      throw error
    }
  }
}

/** A queue of jobs. The loop calls one `settleAndClaim` at a time; `run` many at once. */
export type WorkQueue<Claim, Settlement> = Readonly<{
  /** One round: writes what is settled, and claims as many jobs as there is room for. True when there may be more to claim at once. */
  settleAndClaim: (settlements: Settlements<Settlement>) => Promise<boolean>
  /** The next claimed job to begin; `ended`: the job whose slot it takes. */
  next: (ended?: Claim) => Claim | undefined
  /** Runs one job; null when there is nothing to settle, because the job was lost. Must not reject. */
  run: (claim: Claim, signal: AbortSignal) => Promise<Settlement | null>
  /**
   * Claims nothing from now on, and forgets what was claimed and has not begun: answers what to settle for it. Called when the stop begins,
   * and again for jobs that a claim under way then still brought.
   */
  drain: () => readonly Settlement[]
  /** A round has failed: answers what a crash of Postgres may have made it forget, to be settled again. */
  recover: () => readonly Settlement[]
  /** The last step of a stop: releases what is held. Must not reject. */
  close?: () => Promise<void>
  /** The longest wait for jobs that no `wake` announced. */
  pollMs: () => number
  /** The pause between two rounds while jobs run: the longer, the fewer and fuller the statements. */
  gapMs: () => number
  /** How long what is settled waits for more of it, unless a `wake` comes; without it a `gapMs` while jobs run, and not at all when none do. */
  gatherMs?: () => number
}>

/** `concurrency`: jobs that run at once. `onFault` hears why a round failed. */
export type WorkLoopOptions<Claim, Settlement> = Readonly<{
  queue: WorkQueue<Claim, Settlement>
  concurrency: number
  onFault: (error: unknown) => void
}>

/** The pause after a failed round: the database or the log is away. */
const FAULT_PAUSE_MS = 500
/** Aborted jobs and the last settlements get this long. */
const AFTER_ABORT_MS = 1_000

/** Jobs get this part of the 10 s in which a process must stop: the other steps need more than 2 s on a busy machine. */
const GRACE_MS = 6_000

/**
 * A sleep that `interrupt` ends. An interrupt while nothing sleeps ends the next sleep at once, unless `reset` comes first. Call `reset` only
 * between sleeps.
 */
export type InterruptibleSleep = Readonly<{ sleep: (ms: number) => Promise<void>; interrupt: () => void; reset: () => void }>

export function createInterruptibleSleep(): InterruptibleSleep {
  let ended = Promise.withResolvers<void>()
  const reset = (): void => {
    ended = Promise.withResolvers<void>()
  }
  return {
    sleep: async (ms) => {
      const timer = setTimeout(ended.resolve, ms)
      await ended.promise
      clearTimeout(timer)
      reset()
    },
    interrupt: () => ended.resolve(),
    reset,
  }
}

/**
 * Claims jobs, runs them and settles what became of them.
 *
 * - _running_: one round after the other settles and claims. After a round that found jobs the next begins `gapMs` later; after one that
 *   found none it waits for the end of a job, a `wake` or `pollMs`.
 * - _faulted_: a round has failed. What it was to settle is kept, running jobs go on, and the next round begins after a pause.
 * - _draining_: `stop` was called. Nothing is claimed or begun; what has not begun is given back; running jobs go on, and rounds settle them.
 * - _aborting_: `graceMs` after the stop the signal of every running job is aborted; rounds go on to settle what ends.
 * - _abandoned_: a second later the loop leaves what is still open to the leases, which end by themselves.
 * - _ended_: reached from _draining_ or _aborting_ as soon as nothing runs and everything is settled; the queue is closed.
 */
export class WorkLoop<Claim, Settlement> {
  readonly #options: WorkLoopOptions<Claim, Settlement>
  readonly #settlements = new Settlements<Settlement>()
  readonly #idle = createInterruptibleSleep()
  readonly #gap = createInterruptibleSleep()
  readonly #gather = createInterruptibleSleep()
  readonly #aborting = new AbortController()
  #running = 0
  #draining = false
  #abandoned = false
  readonly #ended: Promise<void>

  constructor(options: WorkLoopOptions<Claim, Settlement>) {
    this.#options = options
    this.#ended = this.#loop()
  }

  /** Begins the next round at once, if the loop is idle. */
  wake(): void {
    this.#idle.interrupt()
    this.#gather.interrupt()
  }

  /** Begins as many claimed jobs as there are slots for. */
  begin(): void {
    const { queue, concurrency } = this.#options
    if (this.#draining) this.#settlements.add(queue.drain())
    else {
      while (this.#running < concurrency) {
        const claim = queue.next()
        if (claim === undefined) return
        void this.#run(claim)
      }
    }
  }

  /** Drains for `graceMs`, then aborts; resolves when the loop has ended, at the latest a second after the abort. */
  async stop(graceMs = GRACE_MS): Promise<void> {
    this.#draining = true
    this.begin()
    this.#interrupt()
    const abort = setTimeout(() => this.#aborting.abort(), graceMs)
    const abandon = setTimeout(() => {
      this.#abandoned = true
      this.#interrupt()
    }, graceMs + AFTER_ABORT_MS)
    await this.#ended
    clearTimeout(abort)
    clearTimeout(abandon)
  }

  #interrupt(): void {
    this.#idle.interrupt()
    this.#gap.interrupt()
    this.#gather.interrupt()
  }

  async #loop(): Promise<void> {
    const { queue, onFault } = this.#options
    while (!this.#isOver()) {
      this.#idle.reset()
      this.#gather.reset()
      try {
        const found = await queue.settleAndClaim(this.#settlements)
        this.begin()
        await (found ? this.#gap.sleep(queue.gapMs()) : this.#rest())
      } catch (error) {
        this.#settlements.addFirst(queue.recover())
        onFault(error)
        await this.#gap.sleep(FAULT_PAUSE_MS)
      }
    }
    await queue.close?.()
  }

  #isOver(): boolean {
    return this.#abandoned || (this.#draining && this.#running === 0 && this.#settlements.isEmpty)
  }

  /** Waits until something happens or the poll is due, and then a moment more, so that simultaneous ends share a settlement. */
  async #rest(): Promise<void> {
    if (this.#isOver()) return
    const { queue } = this.#options
    await this.#idle.sleep(queue.pollMs())
    if (queue.gatherMs === undefined && this.#running > 0) await this.#gap.sleep(queue.gapMs())
    if (queue.gatherMs !== undefined && !this.#settlements.isEmpty) await this.#gather.sleep(queue.gatherMs())
  }

  async #run(claim: Claim): Promise<void> {
    const { queue } = this.#options
    this.#running++
    const settlement = await queue.run(claim, this.#aborting.signal)
    this.#running--
    if (settlement !== null) this.#settlements.add([settlement])
    const next = this.#draining ? undefined : queue.next(claim)
    if (next !== undefined) void this.#run(next)
    this.#idle.interrupt()
  }
}

/** Starts at once. */
export function createWorkLoop<Claim, Settlement>(options: WorkLoopOptions<Claim, Settlement>): WorkLoop<Claim, Settlement> {
  return new WorkLoop(options)
}
