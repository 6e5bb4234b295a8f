import type { EndpointId } from '@tidings/domain'
import { type EndpointQueue, isStuck, newQueue, readyOf, roomOf, SCARCE, slotsOf } from './endpoint-queue.ts'
import type { Delivery, Taking } from './statements.ts'

/** A claimed delivery, in the queue that it was claimed with. */
export type ClaimedDelivery = Readonly<{ queue: EndpointQueue; delivery: Delivery }>

/** Retries that are due so close together are looked for once. */
const RETRY_STEP_MS = 50
/** Further away than that a retry is left to the polls: at most 600 moments are remembered. */
const MOST_AHEAD_MS = 30_000

/**
 * The deliveries that this process has claimed: the queues that it has leased, and of each the deliveries that are ready or run. A delivery stays
 * in `claimedIds` until the database knows what became of it, so that no claim finds it again.
 */
export class DeliveryBuffer {
  readonly queues = new Map<EndpointId, EndpointQueue>()
  readonly claimedIds = new Set<bigint>()
  readonly #slots: number
  readonly #retries = new Set<number>()
  /** The queue at which the round robin continues. */
  #roundRobin = this.queues.values()
  running = 0

  constructor(slots: number) {
    this.#slots = slots
  }

  /** `expiresAt`: of the lease, where the queue is new here. A delivery that is claimed already is not added twice. */
  add(delivery: Delivery, expiresAt: number): void {
    if (this.claimedIds.has(delivery.id)) return
    const queue = this.queues.get(delivery.endpointId) ?? newQueue(delivery.endpointId, expiresAt)
    this.queues.set(queue.endpointId, queue)
    if (!delivery.retried && delivery.id > queue.after) queue.after = delivery.id
    queue.busyAt = performance.now()
    this.claimedIds.add(delivery.id)
    queue.ready.push(delivery)
  }

  /** The queues that are worth a claim, with how many more they have room for; the others may owe what it would have found. */
  wanting(): Taking['queues'] {
    const wanted = this.ready
    return [...this.queues.values()].flatMap((queue) => {
      const room = roomOf(queue, wanted)
      queue.owes = room === 0
      return room > 0 ? [{ endpointId: queue.endpointId, after: queue.after, room }] : []
    })
  }

  /** Deliveries to claim ahead of a queue. */
  get ready(): number {
    return readyOf(this.queues.size)
  }

  get #load(): number {
    return this.running / this.#slots
  }

  /** The delivery to begin next. The queue whose delivery has ended goes on at once; when slots are scarce, all queues take turns. */
  next(ended?: ClaimedDelivery): ClaimedDelivery | undefined {
    if (ended === undefined || this.#load >= SCARCE) return this.#nextOfAll()
    const delivery = ended.queue.ready.shift()
    return delivery && this.#begin(ended.queue, delivery)
  }

  #nextOfAll(): ClaimedDelivery | undefined {
    for (let looks = 0; looks <= this.queues.size; looks++) {
      const { value: queue } = this.#roundRobin.next()
      if (queue === undefined) this.#roundRobin = this.queues.values()
      else if (queue.ready.length > 0 && slotsOf(queue, this.#load) > 0) {
        const delivery = queue.ready.shift()
        if (delivery !== undefined) return this.#begin(queue, delivery)
      }
    }
    return undefined
  }

  #begin(queue: EndpointQueue, delivery: Delivery): ClaimedDelivery {
    this.running++
    queue.running++
    return { queue, delivery }
  }

  end({ queue }: ClaimedDelivery): void {
    this.running--
    queue.running--
    queue.busyAt = performance.now()
  }

  /** The next claims begin with the first deliveries again: a crash of Postgres may have made it forget what was settled. */
  rewind(): void {
    for (const queue of this.queues.values()) queue.after = 0n
  }

  /** Queues without work for so long. */
  idle(forMs: number): readonly EndpointId[] {
    const since = performance.now() - forMs
    return [...this.queues.values()].filter(({ ready, running, busyAt }) => ready.length + running === 0 && busyAt < since).map(idOf)
  }

  /** Queues that others may have the memory of: those that only wait, the longest of them first. */
  stuck(most: number): readonly EndpointQueue[] {
    const waiting = [...this.queues.values()].filter(isStuck).sort((one, other) => one.busyAt - other.busyAt)
    return waiting.slice(0, most)
  }

  /** A delivery is due again in so many milliseconds. */
  putOff(inMs: number): void {
    if (inMs <= MOST_AHEAD_MS) this.#retries.add(Math.ceil((performance.now() + inMs) / RETRY_STEP_MS))
  }

  /** Whether a queue that has room may have more than was taken from it. */
  owes(): boolean {
    return [...this.queues.values()].some((queue) => queue.owes && roomOf(queue, this.ready) > 0)
  }

  /** Notes which queues gave all that they had room for. True where as many free queues were found as were asked for: there may be others. */
  claimed(
    taken: readonly Delivery[],
    {
      queues,
      more,
      room,
    }: Readonly<{ queues: readonly Readonly<{ endpointId: EndpointId; after: bigint; room: number }>[]; more: number; room: number }>,
  ): boolean {
    const rooms = new Map(queues.map((queue) => [queue.endpointId, queue.room]))
    const found = Map.groupBy(taken, ({ endpointId }) => endpointId)
    for (const [endpointId, { length }] of found) {
      const queue = this.queues.get(endpointId)
      if (queue !== undefined && length >= (rooms.get(endpointId) ?? room)) queue.owes = true
    }
    return more > 0 && [...found.keys()].filter((endpointId) => !rooms.has(endpointId)).length === more
  }

  /** The time at which the first deferred delivery is due (performance.now); infinity if there is none. */
  nextRetryAt(): number {
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    for (const step of this.#retries) {
      const at = step * RETRY_STEP_MS
      if (at <= now) this.#retries.delete(step)
      else next = Math.min(next, at)
    }
    return next
  }

  /** Another process may have leased the queue: this one forgets what has not begun. */
  lose(queue: EndpointQueue): void {
    this.empty(queue)
    if (this.queues.get(queue.endpointId) === queue) this.queues.delete(queue.endpointId)
  }

  /** Forgets what has not begun. */
  empty(queue: EndpointQueue): void {
    for (const { id } of queue.ready.splice(0)) this.claimedIds.delete(id)
  }
}

const idOf = ({ endpointId }: EndpointQueue): EndpointId => endpointId
