import { type HeldQueue, newQueue, placesOf, readyOf, roomOf, SCARCE } from './held-queue.ts'
import type { Delivery, Taking } from './statements.ts'

/**
 * What this process has in hand: the queues that it holds, and of each the deliveries that are ready or at work. A delivery stays `held`
 * until the database knows what became of it, so that no look at what is due finds it again.
 */
export class Hand {
  readonly queues = new Map<string, HeldQueue>()
  readonly held = new Set<bigint>()
  private readonly places: number
  running = 0

  constructor(places: number) {
    this.places = places
  }

  /** `until`: of the lease, should the queue be new here. What is held already is not held twice. */
  hold(delivery: Delivery, until: number): void {
    if (this.held.has(delivery.id)) return
    const queue = this.queues.get(delivery.endpointId) ?? newQueue(delivery.endpointId, until)
    this.queues.set(queue.endpointId, queue)
    if (!delivery.retried && delivery.id > queue.after) queue.after = delivery.id
    queue.busyAt = performance.now()
    this.held.add(delivery.id)
    queue.ready.push(delivery)
  }

  /** The queues that are worth a look, with how many more they have room for. */
  wanting(): Taking['queues'] {
    const wanted = this.ready
    return [...this.queues.values()].flatMap((queue) => {
      const room = roomOf(queue, wanted)
      return room > 0 ? [{ endpointId: queue.endpointId, after: queue.after, room }] : []
    })
  }

  /** Deliveries to have at hand of a queue. */
  get ready(): number {
    return readyOf(this.queues.size)
  }

  get load(): number {
    return this.running / this.places
  }

  get crowded(): boolean {
    return this.load >= SCARCE
  }

  /** Begins as much as there are places for, one of each queue in turn. */
  deal(begin: (queue: HeldQueue, delivery: Delivery) => void): void {
    for (let began = true; began; ) {
      began = false
      for (const queue of this.queues.values()) {
        if (this.running >= this.places) return
        const next = placesOf(queue, this.load) > 0 ? queue.ready.shift() : undefined
        if (next === undefined) continue
        began = true
        begin(queue, next)
      }
    }
  }

  /** A crash of Postgres may have made it forget what was settled: it waits again, behind where we are. */
  lookAgain(): void {
    for (const queue of this.queues.values()) queue.after = 0n
  }

  /** Queues in which nothing happened for so long. */
  idle(forMs: number): readonly string[] {
    const since = performance.now() - forMs
    return [...this.queues.values()].filter(({ ready, running, busyAt }) => ready.length + running === 0 && busyAt < since).map(idOf)
  }

  isBusy(withinMs: number): boolean {
    const since = performance.now() - withinMs
    return [...this.queues.values()].some(({ busyAt }) => busyAt > since)
  }

  /** Somebody else may have the queue: what has not begun is theirs. */
  lose(queue: HeldQueue): void {
    this.empty(queue)
    if (this.queues.get(queue.endpointId) === queue) this.queues.delete(queue.endpointId)
  }

  /** Forgets what has not begun. */
  empty(queue: HeldQueue): void {
    for (const { id } of queue.ready.splice(0)) this.held.delete(id)
  }
}

const idOf = ({ endpointId }: HeldQueue): string => endpointId
