import { randomUUID } from 'node:crypto'
import { cutShort } from '@tidings/inbox'
import { Hand } from './hand.ts'
import type { HeldQueue } from './held-queue.ts'
import { logOf } from './log-of.ts'
import type { Outcome, QueuesOptions, RunningQueues } from './queues.ts'
import { MARGIN_MS, renewHeld } from './renew-held.ts'
import { type Delivery, releaseQueues, restQueue, type Settled, settleDeliveries, takeDeliveries } from './statements.ts'

const PLACES = 1_024
/** Queues held at once, and of these so many new ones a turn: both bound the memory, whatever waits. */
const MAX_QUEUES = 2_048
const MORE = 32
const LEASE_MS = 30_000
const POLL_MS = 250
/** While there was work a moment ago, what other processes admit is noticed sooner. */
const BUSY_POLL_MS = 25
const IDLE_AFTER_MS = 1_000
/** A turn settles and takes for all queues at once; a pause between turns makes the statements fewer and fuller. */
const TURN_GAP_MS = 5
/** A failure of ours (the log or the database is away) says nothing about the receiver. */
const FAULT_PAUSE_MS = 1_000

/** Delivers what waits: the queues of many endpoints side by side, each held by one process at a time. */
export function runQueues(options: QueuesOptions): RunningQueues {
  const run = new QueueRunner(options)
  run.start()
  return { wake: () => run.wake(), stop: (graceMs = 8_000) => run.stop(graceMs), load: () => run.load() }
}

class QueueRunner {
  private readonly owner = randomUUID()
  private readonly options: QueuesOptions
  private readonly leaseMs: number
  private readonly hand: Hand
  private settled: Settled[] = []
  private releasedAt = performance.now()
  private renewing = false
  private stopping = false
  private overdue = false
  private readonly nothingToDo = cutShort()
  /** Between turns; stopping begins, or takes too long, without waiting for its end. */
  private readonly gap = cutShort()
  private looping: Promise<void> = Promise.resolve()
  private readonly aborted = new AbortController()

  constructor(options: QueuesOptions) {
    this.options = options
    this.leaseMs = Math.max(options.leaseMs ?? LEASE_MS, 3 * options.callMs)
    this.hand = new Hand(options.places ?? PLACES)
  }

  start(): void {
    const renewals = setInterval(() => void this.renew(), this.leaseMs / 3)
    this.looping = this.loop().finally(() => clearInterval(renewals))
  }

  wake(): void {
    this.nothingToDo.cut()
  }

  load() {
    const { queues, held, running } = this.hand
    return { queues: queues.size, held: held.size, running }
  }

  private async loop(): Promise<void> {
    while (!this.overdue && !(this.stopping && this.hand.running === 0 && this.settled.length === 0)) {
      this.nothingToDo.forget()
      try {
        const took = await this.turn()
        await (took > 0 || this.settled.length > 0 ? this.gap.pause(TURN_GAP_MS) : this.nothingToDo.pause(this.pollMs()))
      } catch (error) {
        this.options.onFault?.(error)
        this.hand.lookAgain()
        await this.gap.pause(FAULT_PAUSE_MS)
      }
    }
    await releaseQueues(this.options.pool, this.owner, [...this.hand.queues.keys()]).catch(this.options.onFault)
  }

  private pollMs(): number {
    return this.hand.isBusy(IDLE_AFTER_MS) ? BUSY_POLL_MS : (this.options.pollMs ?? POLL_MS)
  }

  private async turn(): Promise<number> {
    await this.settle()
    if (performance.now() - this.releasedAt > this.leaseMs / 3) await this.releaseIdle()
    const { hand, owner, leaseMs } = this
    const queues = hand.wanting()
    const more = Math.min(MORE, MAX_QUEUES - hand.queues.size)
    if (this.stopping || (queues.length === 0 && more === 0)) return 0
    const askedAt = performance.now()
    const taken = await takeDeliveries(this.options.pool, { owner, leaseMs, more, room: hand.ready, queues, held: [...hand.held] })
    await this.options.prepare?.(taken)
    for (const delivery of taken) hand.hold(delivery, askedAt + leaseMs - MARGIN_MS)
    this.pump()
    return taken.length
  }

  private pump(): void {
    if (!this.stopping) this.hand.deal((queue, delivery) => void this.runOne(queue, delivery))
  }

  private async runOne(queue: HeldQueue, delivery: Delivery): Promise<void> {
    this.hand.running++
    queue.running++
    const outcome = await this.outcome(queue, delivery)
    this.hand.running--
    queue.running--
    queue.busyAt = performance.now()
    if (outcome === null) this.hand.held.delete(delivery.id)
    else {
      queue.lastMs = outcome.ms
      this.settled.push({ delivery, again: outcome.again, attempt: outcome.attempt })
      if (outcome.restMs !== undefined) await this.rest(queue, outcome.restMs)
    }
    this.goOn(queue)
    this.wake()
  }

  /** Nobody takes the queue for a while. The lease of a queue that cannot be given up ends by itself. */
  private async rest(queue: HeldQueue, restMs: number): Promise<void> {
    if (this.hand.queues.get(queue.endpointId) !== queue) return
    this.hand.lose(queue)
    await restQueue(this.options.pool, this.owner, queue.endpointId, restMs).catch(this.options.onFault)
  }

  /** The queue whose delivery ended goes on at once; only a crowd is dealt anew. */
  private goOn(queue: HeldQueue): void {
    const next = this.stopping || this.hand.crowded ? undefined : queue.ready.shift()
    if (next !== undefined) void this.runOne(queue, next)
    else if (this.hand.crowded) this.pump()
  }

  /** Null: the lease might end in the middle of the call. Whoever has the queue next, perhaps we, begins it anew. */
  private async outcome(queue: HeldQueue, delivery: Delivery): Promise<Outcome | null> {
    if (performance.now() + this.options.callMs > queue.until) {
      this.hand.lose(queue)
      return null
    }
    try {
      return await this.options.work(delivery, this.aborted.signal)
    } catch (error) {
      if (!this.aborted.signal.aborted) this.options.onFault?.(error)
      return { again: { inMs: this.aborted.signal.aborted ? 0 : FAULT_PAUSE_MS, counts: false }, attempt: null, ms: 0 }
    }
  }

  private async settle(): Promise<void> {
    const settled = this.settled
    if (settled.length === 0) return
    this.settled = []
    try {
      await settleDeliveries(this.options.pool, settled, logOf(settled))
      for (const { delivery } of settled) this.hand.held.delete(delivery.id)
    } catch (error) {
      this.settled = settled.concat(this.settled)
      throw error
    }
  }

  /** Gives up what has had no work for a while. */
  private async releaseIdle(): Promise<void> {
    this.releasedAt = performance.now()
    const idle = this.hand.idle(IDLE_AFTER_MS)
    for (const endpointId of idle) this.hand.queues.delete(endpointId)
    if (idle.length > 0) await releaseQueues(this.options.pool, this.owner, idle)
  }

  /** Beside the turns: one that waits for a log that is away must not cost the leases of what was delivered meanwhile. */
  private async renew(): Promise<void> {
    if (this.renewing || this.hand.queues.size === 0) return
    this.renewing = true
    await renewHeld(this.options.pool, this.hand, { owner: this.owner, leaseMs: this.leaseMs }).catch(this.options.onFault)
    this.renewing = false
  }

  private interrupt(): void {
    this.wake()
    this.gap.cut()
  }

  async stop(graceMs: number): Promise<void> {
    this.stopping = true
    for (const queue of this.hand.queues.values()) this.hand.empty(queue)
    this.interrupt()
    const abort = setTimeout(() => this.aborted.abort(), graceMs)
    const leave = setTimeout(() => {
      this.overdue = true
      this.interrupt()
    }, graceMs + MARGIN_MS)
    await this.looping
    clearTimeout(abort)
    clearTimeout(leave)
  }
}
