import { runDirectConsumer, type Transport } from '@tidings/bus'
import { type Job, runLanes } from '@tidings/inbox'
import type { Pool } from 'pg'
import type { RunningConsumers } from '../start-consumers.ts'
import { type Abandoning, abandonCart } from './abandon-cart.ts'
import { ABANDONED_CART, cartConsumer } from './cart-consumer.ts'

/** `onOutcome` hears what became of each cart. `transport`: how events come, by default from the log. */
export type AbandonedCartsOptions = Omit<Abandoning, 'now'> &
  Readonly<{ pool: Pool; transport?: Transport; now?: () => number; onFault?: (error: unknown, job: Job | null) => void }>

const CONCURRENCY = 16

/** Finds abandoned carts. Waiting ones are rows of the inbox: they cost no memory, and survive restarts and restores. */
export function startAbandonedCarts(options: AbandonedCartsOptions): RunningConsumers {
  const { log, pool, onFault, transport = runDirectConsumer, now = Date.now } = options
  const lanes = runLanes({
    pool,
    kind: ABANDONED_CART,
    concurrency: CONCURRENCY,
    work: (job) => abandonCart({ ...options, now }, job),
    ...(onFault && { onFault }),
  })
  const consumer = cartConsumer({ admit: lanes.admit })
  // From the start of the log: what is older than a day is missed, and the log has what was recorded.
  const running = transport({ consumer, log, pool, startAt: 'start', onFault: (error) => onFault?.(error, null) })
  return {
    views: [],
    progress: () => ({ [running.group]: running.progress() }),
    stop: async () => {
      await running.stop()
      await lanes.stop()
    },
  }
}
