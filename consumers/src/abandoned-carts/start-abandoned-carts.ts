import { runDirectConsumer, type Transport } from '@tidings/bus'
import { databaseNow } from '@tidings/clock'
import { type Job, runLanes } from '@tidings/inbox'
import type { ReadSide } from '@tidings/projections'
import type { Pool } from 'pg'
import { createReadGate } from '../reads/read-gate.ts'
import { holdSuspended } from '../send/hold-suspended.ts'
import type { RunningConsumers } from '../start-consumers.ts'
import type { WorkspaceView } from '../views/workspace-view.ts'
import { type Abandoning, abandonCart } from './abandon-cart.ts'
import { ABANDONED_CART, cartConsumer } from './cart-consumer.ts'

/** `onOutcome` hears what became of each cart. `transport`: how events come, by default from the log. */
export type AbandonedCartsOptions = Omit<Abandoning, 'now' | 'gate' | 'suspended' | 'workspaces'> &
  Readonly<{
    pool: Pool
    reads: Pick<ReadSide, 'wait'>
    workspaces: Pick<WorkspaceView, 'status' | 'statusNow'>
    transport?: Transport
    now?: () => number
    onFault?: (error: unknown, job: Job | null) => void
  }>

const CONCURRENCY = 16

/** Finds abandoned carts. Waiting ones are rows of the inbox: they cost no memory, and survive restarts and restores. */
export function startAbandonedCarts(options: AbandonedCartsOptions): RunningConsumers {
  const { log, pool, onFault, transport = runDirectConsumer, now = databaseNow } = options
  const fault = (error: unknown): void => onFault?.(error, null)
  const shared = { pool, kind: ABANDONED_CART, onReleased: () => lanes.wake(), onFault: fault }
  const suspended = holdSuspended({ ...shared, workspaces: options.workspaces })
  const gate = createReadGate({ ...shared, head: () => log.head(), reads: options.reads })
  const lanes = runLanes({
    pool,
    kind: ABANDONED_CART,
    concurrency: CONCURRENCY,
    work: gate.guard(
      ({ payload }) => payload,
      (job) => abandonCart({ ...options, suspended, gate, now }, job),
    ),
    ...(onFault && { onFault }),
  })
  const consumer = cartConsumer({ admit: lanes.admit })
  // The group reads from the start of the log: carts older than a day are missed, and the log has what was recorded.
  const running = transport({ consumer, log, pool, startAt: 'start', onFault: fault })
  return {
    views: [suspended.view],
    progress: () => ({ [running.group]: running.progress() }),
    stop: async () => {
      await running.stop()
      await Promise.all([lanes.stop(), suspended.stop(), gate.stop()])
    },
  }
}
