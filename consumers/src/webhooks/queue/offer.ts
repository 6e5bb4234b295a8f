import type { Offer } from './admit.ts'
import type { DeliveryBuffer } from './delivery-buffer.ts'
import type { Delivery, NewDelivery } from './statements.ts'

/**
 * `take` gets the ids of what was admitted (`Admitted`), and answers what this process has taken of it. `isLeft`: some of the others is in a queue
 * that this process has not leased.
 */
export type Offering = Offer & Readonly<{ take: (ids: readonly bigint[]) => Readonly<{ taken: readonly Delivery[]; isLeft: boolean }> }>

/**
 * Offers the leased queues that have room for all that is to be admitted to them: what the database finds directly behind the last that
 * was taken there is ready at once, without a claim that would look for it.
 */
export function offerOf(buffer: DeliveryBuffer, owner: string, all: readonly NewDelivery[]): Offering {
  const counts = Map.groupBy(all, ({ endpointId }) => endpointId)
  const offered = new Map(
    [...counts].flatMap(([endpointId, { length }]) => {
      const queue = buffer.queues.get(endpointId)
      // A backlog of retries may lie behind no delivery, and the database would have to read all of it.
      return queue !== undefined && queue.after > 0n && queue.ready.length + length <= buffer.ready ? [[endpointId, queue] as const] : []
    }),
  )
  const after = all.map(({ endpointId }) => offered.get(endpointId)?.after ?? null)
  return {
    owner,
    after,
    take: (ids) => {
      const taken: Delivery[] = []
      let isLeft = false
      for (const [n, delivery] of all.entries()) {
        const id = ids[n] ?? 0n
        const queue = buffer.queues.get(delivery.endpointId)
        if (queue === undefined) isLeft = true
        // The queue was leased anew since the offer, or its deliveries begin anew: a claim finds what waits.
        else if (id === 0n || queue !== offered.get(delivery.endpointId) || queue.after !== after[n]) queue.owes = true
        else taken.push({ ...delivery, id, attempt: 0, retried: false })
      }
      for (const delivery of taken) buffer.add(delivery, Number.NEGATIVE_INFINITY)
      return { taken, isLeft }
    },
  }
}
