import { announceDue, createWorkLoop, watchDue } from '@tidings/jobs'
import type { Pool } from 'pg'
import type { Admitted, Offer } from './admit.ts'
import { type DeliveryOutcome, EndpointQueues, type QueueSettings } from './endpoint-queues.ts'
import { type Delivery, FIRST_FREE, type NewDelivery } from './statements.ts'

/** Defaults: 1 024 slots, a lease of 30 s, or three times `callMs` where that is longer, and a poll every second while queues are leased. */
export type QueuesOptions = Readonly<{
  pool: Pool
  work: (delivery: Delivery, signal: AbortSignal) => Promise<DeliveryOutcome>
  callMs: number
}> &
  Partial<QueueSettings>

export type RunningQueues = Readonly<{
  /**
   * Offers to begin some of the deliveries that are to be admitted. `admitted`, after the commit: it begins those that it may, and looks for
   * the others where it has leased their queue, or may lease it; other processes hear of the rest.
   */
  offer: (deliveries: readonly NewDelivery[]) => Offer & Readonly<{ admitted: (admitted: Admitted) => void }>
  /** Queues may be claimed that could not be before. */
  freed: () => void
  wake: () => void
  /** Claims nothing more and lets running deliveries finish for `graceMs`, then aborts them; what is left is delivered by another process. */
  stop: (graceMs?: number) => Promise<void>
  /** `claimed`: deliveries that are ready or run here. */
  load: () => Readonly<{ queues: number; claimed: number; running: number }>
}>

const WEBHOOKS = 'webhooks'
const SLOTS = 1_024
const LEASE_MS = 30_000
const POLL_MS = 1_000

/** Delivers what waits: the queues of many endpoints side by side, each leased by one process at a time. */
export function runQueues(options: QueuesOptions): RunningQueues {
  const { slots = SLOTS, pollMs = POLL_MS, onFault } = options
  const leaseMs = Math.max(options.leaseMs ?? LEASE_MS, 3 * options.callMs)
  const queue = new EndpointQueues({ ...options, slots, pollMs, leaseMs })
  const loop = createWorkLoop({ queue, concurrency: slots, onFault: (error) => onFault?.(error) })
  const wake = (): void => {
    queue.want()
    loop.wake()
  }
  const freed = (): void => {
    wake()
    announceDue(options.pool, WEBHOOKS)
  }
  const watch = watchDue(options.pool, { kind: WEBHOOKS, sql: FIRST_FREE }, wake)
  return {
    wake,
    freed,
    offer: (deliveries) => {
      const { owner, after, take } = queue.offer(deliveries)
      return {
        owner,
        after,
        admitted: ({ ids }) => {
          const { taken, isLeft } = take(ids)
          void (options.prepare?.(taken) ?? Promise.resolve()).catch(onFault).finally(() => loop.begin())
          if (isLeft) freed()
          else if (taken.length < deliveries.length) loop.wake()
        },
      }
    },
    stop: async (graceMs) => {
      await Promise.all([watch.stop(), loop.stop(graceMs)])
    },
    load: () => queue.load(),
  }
}
