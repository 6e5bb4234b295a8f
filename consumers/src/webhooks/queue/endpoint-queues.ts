import { randomUUID } from 'node:crypto'
import { startTicker, type Ticker } from '@tidings/async'
import { localExpiry, type Settlements, type WorkQueue } from '@tidings/jobs'
import type { Pool } from 'pg'
import { ClaimSchedule } from './claim-schedule.ts'
import { type ClaimedDelivery, DeliveryBuffer } from './delivery-buffer.ts'
import type { EndpointQueue } from './endpoint-queue.ts'
import { type Offering, offerOf } from './offer.ts'
import {
  type Attempt,
  type Delivery,
  type NewDelivery,
  releaseQueues,
  renewQueues,
  restQueues,
  type Settled,
  settleDeliveries,
  takeDeliveries,
} from './statements.ts'

/** Queues leased at once, and of these so many new ones a round: both bound the memory, whatever waits. */
const MAX_QUEUES = 2_048
const NEW_A_ROUND = 32
/** The time for which queues that are given up for others are left alone. */
const AWAY_MS = 2_000
const IDLE_AFTER_MS = 1_000
/** A round settles and claims for all queues at once; waiting between rounds makes the statements fewer and fuller. */
const GAP_MS = 5
/** What is delivered singly is settled together; a kill delivers so much of it again. */
const GATHER_MS = 25
/** A fault of ours (the log or the database is away) says nothing about the receiver. */
const AFTER_FAULT_MS = 1_000

/** The outcome of a delivery, and the time that its receiver took. `restMs`: for so long no delivery to its endpoint is worth an attempt. */
export type DeliveryOutcome = Readonly<{
  again: Readonly<{ inMs: number; counts: boolean }> | null
  attempt: Attempt | null
  ms: number
  restMs?: number
}>

/** `slots`: deliveries that run at once, of all endpoints. `maxQueues`: leased at once, default 2 048. `callMs`: the longest that one may take; the lease must outlive it. */
export type QueueSettings = Readonly<{
  pool: Pool
  work: (delivery: Delivery, signal: AbortSignal) => Promise<DeliveryOutcome>
  callMs: number
  /** Gets what was claimed before any of it begins. */
  prepare?: (taken: readonly Delivery[]) => Promise<void>
  slots: number
  maxQueues?: number
  leaseMs: number
  pollMs: number
  onFault?: (error: unknown) => void
}>

/**
 * The deliveries of many endpoints. This process claims whole queues (`owner` of each row), and claims ahead what waits in them; so no
 * statement claims a single delivery. A queue stays leased until it was idle for a moment, its lease is lost, or the stop.
 */
export class EndpointQueues implements WorkQueue<ClaimedDelivery, Settled> {
  readonly #owner = randomUUID()
  readonly #settings: QueueSettings
  readonly #maxQueues: number
  readonly #buffer: DeliveryBuffer
  readonly #schedule: ClaimSchedule
  /** Leases are renewed beside the rounds: a round that waits for an unavailable log must not cost the leases of delivered work. */
  readonly #renewing: Ticker
  #releasedAt = performance.now()
  #madeRoomAt = Number.NEGATIVE_INFINITY
  #draining = false

  constructor(settings: QueueSettings) {
    this.#settings = settings
    this.#maxQueues = settings.maxQueues ?? MAX_QUEUES
    this.#buffer = new DeliveryBuffer(settings.slots)
    this.#schedule = new ClaimSchedule(this.#buffer, settings.pollMs)
    this.#renewing = startTicker(settings.leaseMs / 3, () => this.#renew().catch((error: unknown) => settings.onFault?.(error)))
  }

  load(): Readonly<{ queues: number; claimed: number; running: number }> {
    const { queues, claimedIds, running } = this.#buffer
    return { queues: queues.size, claimed: claimedIds.size, running }
  }

  pollMs(): number {
    return this.#draining ? this.#settings.pollMs : this.#schedule.dueInMs()
  }

  /** The next round claims. */
  want(): void {
    this.#schedule.want()
  }

  /** Offers to begin some of the deliveries that are about to be admitted. */
  offer(all: readonly NewDelivery[]): Offering {
    return offerOf(this.#buffer, this.#owner, this.#draining ? [] : all)
  }

  gapMs(): number {
    return GAP_MS
  }

  gatherMs(): number {
    return this.#schedule.isWanted ? GAP_MS : GATHER_MS
  }

  async settleAndClaim(settlements: Settlements<Settled>): Promise<boolean> {
    if (!settlements.isEmpty) await settlements.flush((settled) => this.#settle(settled))
    if (performance.now() - this.#releasedAt > this.#settings.leaseMs / 3) await this.#releaseIdle()
    return this.#schedule.isDue && !this.#draining ? await this.#claim() : false
  }

  next(ended?: ClaimedDelivery): ClaimedDelivery | undefined {
    return this.#buffer.next(ended)
  }

  async run(claimed: ClaimedDelivery, signal: AbortSignal): Promise<Settled | null> {
    const { queue, delivery } = claimed
    const outcome = await this.#outcome(claimed, signal)
    if (outcome?.restMs !== undefined) await this.#rest(queue, outcome.restMs)
    this.#buffer.end(claimed)
    if (outcome === null) {
      this.#buffer.claimedIds.delete(delivery.id)
      return null
    }
    queue.lastMs = outcome.ms
    return { delivery, again: outcome.again, attempt: outcome.attempt }
  }

  /** A delivery that has not begun stays in its queue, which another process claims. */
  drain(): readonly Settled[] {
    this.#draining = true
    for (const queue of this.#buffer.queues.values()) this.#buffer.empty(queue)
    return []
  }

  recover(): readonly Settled[] {
    this.#buffer.rewind()
    this.#schedule.want()
    return []
  }

  async close(): Promise<void> {
    this.#renewing.stop()
    const { pool, onFault } = this.#settings
    await releaseQueues(pool, this.#owner, [...this.#buffer.queues.keys()]).catch(onFault)
  }

  async #claim(): Promise<boolean> {
    const { pool, leaseMs, prepare } = this.#settings
    const buffer = this.#buffer
    await this.#makeRoom()
    const queues = buffer.wanting()
    const more = Math.min(NEW_A_ROUND, this.#maxQueues - buffer.queues.size)
    const hasRoom = queues.length > 0 || more > 0
    this.#schedule.begin(hasRoom)
    if (!hasRoom) return false
    const askedAt = performance.now()
    const asked = { owner: this.#owner, leaseMs, more, room: buffer.ready, queues }
    const taken = await takeDeliveries(pool, { ...asked, claimedIds: [...buffer.claimedIds] })
    await prepare?.(taken)
    for (const delivery of taken) buffer.add(delivery, localExpiry(askedAt, leaseMs))
    if (buffer.claimed(taken, asked)) this.#schedule.want()
    return taken.length > 0
  }

  async #settle(settled: readonly Settled[]): Promise<void> {
    await settleDeliveries(this.#settings.pool, settled, keptAttempts(settled))
    for (const { delivery, again } of settled) {
      this.#buffer.claimedIds.delete(delivery.id)
      if (again !== null) this.#schedule.putOff(again.inMs)
    }
  }

  /** Null: the lease might end in the middle of the call. The next holder of the queue, perhaps this process, begins the delivery again. */
  async #outcome({ queue, delivery }: ClaimedDelivery, signal: AbortSignal): Promise<DeliveryOutcome | null> {
    const { callMs, work, onFault } = this.#settings
    if (performance.now() + callMs > queue.expiresAt) {
      this.#buffer.lose(queue)
      return null
    }
    try {
      return await work(delivery, signal)
    } catch (error) {
      if (!signal.aborted) onFault?.(error)
      return { again: { inMs: signal.aborted ? 0 : AFTER_FAULT_MS, counts: false }, attempt: null, ms: 0 }
    }
  }

  /** No process claims the queue for a while. Where it cannot be given up its lease expires. */
  async #rest(queue: EndpointQueue, restMs: number): Promise<void> {
    const { pool, onFault } = this.#settings
    if (this.#buffer.queues.get(queue.endpointId) !== queue) return
    this.#buffer.lose(queue)
    await restQueues(pool, this.#owner, [queue.endpointId], restMs).catch(onFault)
  }

  /** Gives up the queues that have had no work for a while. */
  async #releaseIdle(): Promise<void> {
    this.#releasedAt = performance.now()
    const idle = this.#buffer.idle(IDLE_AFTER_MS)
    for (const endpointId of idle) this.#buffer.queues.delete(endpointId)
    if (idle.length > 0) await releaseQueues(this.#settings.pool, this.#owner, idle)
  }

  /** If the process has as many queues as it may, those that only wait are given up for a moment, so that others are claimed: one round between two polls. */
  async #makeRoom(): Promise<void> {
    if (performance.now() - this.#madeRoomAt < this.#settings.pollMs) return
    const missing = Math.min(NEW_A_ROUND, this.#maxQueues) - (this.#maxQueues - this.#buffer.queues.size)
    const stuck = missing > 0 ? this.#buffer.stuck(missing) : []
    for (const queue of stuck) this.#buffer.lose(queue)
    const ids = stuck.map(({ endpointId }) => endpointId)
    if (ids.length === 0) return
    this.#madeRoomAt = performance.now()
    await restQueues(this.#settings.pool, this.#owner, ids, AWAY_MS)
  }

  /** Renews the leases of all queues; one that another process has leased by now is lost. */
  async #renew(): Promise<void> {
    const { pool, leaseMs } = this.#settings
    const leased = [...this.#buffer.queues.values()]
    if (leased.length === 0) return
    const askedAt = performance.now()
    const ids = leased.map(({ endpointId }) => endpointId)
    const renewed = new Set(await renewQueues(pool, this.#owner, ids, leaseMs))
    for (const queue of leased) {
      if (renewed.has(queue.endpointId)) queue.expiresAt = localExpiry(askedAt, leaseMs)
      else this.#buffer.lose(queue)
    }
  }
}

/** The number of attempts that one statement may add to the log of an endpoint: fewer than its slots, so that no slot is written twice. */
const MAX_AN_ENDPOINT = 50
/** The number of these that may be successes: without this limit a busy endpoint writes its log as fast as its deliveries. */
const MAX_DELIVERED = 5

/** The attempts of a batch that the log keeps: what failed, what a person asked for, and some of the rest. */
function keptAttempts(settled: readonly Settled[]): readonly Attempt[] {
  const all = settled.flatMap(({ attempt }) => (attempt === null ? [] : [attempt]))
  return [...Map.groupBy(all, ({ endpointId }) => endpointId).values()].flatMap((attempts) => {
    const delivered = attempts.filter(({ outcome, wasAsked }) => outcome === 'delivered' && !wasAsked).slice(-MAX_DELIVERED)
    const kept = new Set(delivered)
    const wanted = attempts.filter((attempt) => attempt.outcome !== 'delivered' || attempt.wasAsked || kept.has(attempt))
    return wanted.slice(-MAX_AN_ENDPOINT)
  })
}
