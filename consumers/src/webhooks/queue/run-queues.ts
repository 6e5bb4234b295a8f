import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { type HeldQueue, NEW_ROOM, newQueue, placesOf, roomOf } from './held-queue.ts'
import { logOf } from './log-of.ts'
import { type Delivery, releaseQueues, renewQueues, type Settled, settleDeliveries, takeDeliveries } from './statements.ts'

/** What became of a delivery, and how long its receiver took. */
export type Outcome = Pick<Settled, 'again' | 'attempt'> & Readonly<{ ms: number }>

/** `places`: deliveries at work at once, of all endpoints. `callMs`: the longest that one may take; the lease must outlive it. */
export type QueuesOptions = Readonly<{
  pool: Pool
  work: (delivery: Delivery, signal: AbortSignal) => Promise<Outcome>
  callMs: number
  places?: number
  leaseMs?: number
  pollMs?: number
  onFault?: (error: unknown) => void
}>

export type RunningQueues = Readonly<{
  /** Something was admitted. */
  wake: () => void
  /** Takes nothing more and lets what has begun finish for `graceMs`, then aborts it; what is left comes again elsewhere. */
  stop: (graceMs?: number) => Promise<void>
  load: () => Readonly<{ queues: number; ready: number; running: number }>
}>

const PLACES = 1_024
/** Queues held at once, and of these so many new ones a turn: both bound the memory, whatever waits. */
const MAX_QUEUES = 512
const MORE = 32
const LEASE_MS = 30_000
const POLL_MS = 250
/** While there was work a moment ago, what other processes admit is noticed sooner. */
const BUSY_POLL_MS = 25
const IDLE_AFTER_MS = 1_000
/** A turn settles and takes for all queues at once; a pause between turns makes the statements fewer and fuller. */
const TURN_GAP_MS = 2
/** A failure of ours (the log or the database is away) says nothing about the receiver. */
const FAULT_PAUSE_MS = 1_000
const MARGIN_MS = 1_000

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

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
  private readonly places: number
  private readonly queues = new Map<string, HeldQueue>()
  private readonly held = new Set<bigint>()
  private settled: Settled[] = []
  private running = 0
  private renewedAt = performance.now()
  private stopping = false
  private overdue = false
  private signal = Promise.withResolvers<void>()
  private looping: Promise<void> = Promise.resolve()
  private readonly aborted = new AbortController()

  constructor(options: QueuesOptions) {
    this.options = options
    this.leaseMs = Math.max(options.leaseMs ?? LEASE_MS, 3 * options.callMs)
    this.places = options.places ?? PLACES
  }

  start(): void {
    this.looping = this.loop()
  }

  wake(): void {
    this.signal.resolve()
  }

  load() {
    return { queues: this.queues.size, ready: this.held.size - this.running, running: this.running }
  }

  private async loop(): Promise<void> {
    while (!this.overdue && !(this.stopping && this.running === 0 && this.settled.length === 0)) {
      this.signal = Promise.withResolvers<void>()
      try {
        const took = await this.turn()
        await (took > 0 || this.settled.length > 0 ? pause(TURN_GAP_MS) : this.rest())
      } catch (error) {
        this.options.onFault?.(error)
        await pause(FAULT_PAUSE_MS)
      }
    }
    await releaseQueues(this.options.pool, this.owner, [...this.queues.keys()]).catch(this.options.onFault)
  }

  private async rest(): Promise<void> {
    const isBusy = [...this.queues.values()].some(({ busyAt }) => performance.now() - busyAt < IDLE_AFTER_MS)
    const timer = setTimeout(this.signal.resolve, isBusy ? BUSY_POLL_MS : (this.options.pollMs ?? POLL_MS))
    await this.signal.promise
    clearTimeout(timer)
  }

  private async turn(): Promise<number> {
    await this.settle()
    if (performance.now() - this.renewedAt > this.leaseMs / 3) await this.renew()
    if (this.stopping) return 0
    const askedAt = performance.now()
    const free = Math.min(MORE, MAX_QUEUES - this.queues.size)
    const queues = [...this.queues.values()].flatMap((queue) => {
      const room = roomOf(queue)
      return room > 0 ? [{ endpointId: queue.endpointId, after: queue.after, room }] : []
    })
    if (queues.length === 0 && free === 0) return 0
    const taking = { owner: this.owner, leaseMs: this.leaseMs, more: free, room: NEW_ROOM, queues, held: [...this.held] }
    const taken = await takeDeliveries(this.options.pool, taking)
    for (const delivery of taken) this.hold(delivery, askedAt + this.leaseMs - MARGIN_MS)
    this.pump()
    return taken.length
  }

  private hold(delivery: Delivery, until: number): void {
    const queue = this.queues.get(delivery.endpointId) ?? newQueue(delivery.endpointId, until)
    this.queues.set(queue.endpointId, queue)
    if (!delivery.retried && delivery.id > queue.after) queue.after = delivery.id
    queue.busyAt = performance.now()
    this.held.add(delivery.id)
    queue.ready.push(delivery)
  }

  /** Begins what there is room for, one of each queue in turn. */
  private pump(): void {
    if (this.stopping) return
    for (let began = true; began; ) {
      began = false
      const crowded = this.running >= this.places / 2
      for (const queue of this.queues.values()) {
        if (this.running >= this.places) return
        if (placesOf(queue, crowded) <= 0) continue
        const next = queue.ready.shift()
        if (next === undefined) continue
        began = true
        void this.runOne(queue, next)
      }
    }
  }

  private async runOne(queue: HeldQueue, delivery: Delivery): Promise<void> {
    this.running++
    queue.running++
    const outcome = await this.outcome(queue, delivery)
    this.running--
    queue.running--
    queue.busyAt = performance.now()
    if (outcome === null) this.held.delete(delivery.id)
    else {
      queue.lastMs = outcome.ms
      this.settled.push({ delivery, again: outcome.again, attempt: outcome.attempt })
    }
    this.next(queue)
    this.wake()
  }

  /** The queue whose delivery ended goes on at once; only a crowd is shared out anew. */
  private next(queue: HeldQueue): void {
    if (this.running >= this.places / 2) {
      this.pump()
      return
    }
    const following = this.stopping ? undefined : queue.ready.shift()
    if (following !== undefined) void this.runOne(queue, following)
  }

  /** Null: the lease might end in the middle of the call. Whoever has the queue next, perhaps we, begins it anew. */
  private async outcome(queue: HeldQueue, delivery: Delivery): Promise<Outcome | null> {
    if (performance.now() + this.options.callMs > queue.until) {
      this.lose(queue)
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
      // Not before: until the database knows, a look at what is due would find it again.
      for (const { delivery } of settled) this.held.delete(delivery.id)
    } catch (error) {
      this.settled = settled.concat(this.settled)
      throw error
    }
  }

  /** Keeps what has work, and gives up what has had none for a while. */
  private async renew(): Promise<void> {
    const now = performance.now()
    const isIdle = ({ ready, running, busyAt }: HeldQueue) => ready.length + running === 0 && now - busyAt > IDLE_AFTER_MS
    const idle = [...this.queues.values()].filter(isIdle).map(({ endpointId }) => endpointId)
    for (const endpointId of idle) this.queues.delete(endpointId)
    if (idle.length > 0) await releaseQueues(this.options.pool, this.owner, idle)
    const kept = new Set(await renewQueues(this.options.pool, this.owner, [...this.queues.keys()], this.leaseMs))
    for (const queue of this.queues.values()) {
      if (kept.has(queue.endpointId)) queue.until = now + this.leaseMs - MARGIN_MS
      else this.lose(queue)
    }
    this.renewedAt = now
  }

  private lose(queue: HeldQueue): void {
    for (const { id } of queue.ready.splice(0)) this.held.delete(id)
    if (this.queues.get(queue.endpointId) === queue) this.queues.delete(queue.endpointId)
  }

  async stop(graceMs: number): Promise<void> {
    this.stopping = true
    for (const queue of this.queues.values()) for (const { id } of queue.ready.splice(0)) this.held.delete(id)
    this.wake()
    const abort = setTimeout(() => this.aborted.abort(), graceMs)
    const leave = setTimeout(() => {
      this.overdue = true
      this.wake()
    }, graceMs + MARGIN_MS)
    await this.looping
    clearTimeout(abort)
    clearTimeout(leave)
  }
}
