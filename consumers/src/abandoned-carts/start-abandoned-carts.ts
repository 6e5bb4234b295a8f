import { databaseNow } from '@tidings/async/clock'
import { runDirectConsumer, type Transport } from '@tidings/bus'
import type { EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import type { ContactId, WorkspaceId } from '@tidings/domain'
import { ABANDONED_CART, runLanes } from '@tidings/jobs'
import type { Logger } from '@tidings/observability/log'
import { counter } from '@tidings/observability/metrics'
import { kyselyOn } from '@tidings/postgres'
import type { ReadSide } from '@tidings/projections'
import { lastActivities, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import { createReadGate } from '../reads/read-gate.ts'
import { faultLines, type RunningConsumers } from '../running.ts'
import { createSuspendedMessages } from '../send/suspended-messages.ts'
import type { WorkspaceView } from '../views/workspace-view.ts'
import { abandonCart, type CartOutcome, type LastActivities } from './abandon-cart.ts'
import { cartConsumer } from './cart-consumer.ts'

/**
 * `lastActivities`: by default from the read models. `onOutcome`: hears what became of each cart, by default the counter. `transport`: how events
 * come, by default from the log.
 */
export type AbandonedCartsOptions = Readonly<{
  log: EventLog
  pool: Pool
  commands: Pick<CommandRunner, 'execute'>
  reads: Pick<ReadSide, 'wait'>
  workspaces: Pick<WorkspaceView, 'status' | 'statusNow'>
  logger: Logger
  lastActivities?: (workspaceId: WorkspaceId, contactId: ContactId, events: readonly string[]) => Promise<LastActivities>
  transport?: Transport
  now?: () => number
  onOutcome?: (outcome: CartOutcome) => void
}>

const CONCURRENCY = 16

const carts = counter({
  name: 'tidings_carts_total',
  help: 'Carts that were looked at an hour after they began, by outcome: abandoned, bought, renewed, missed, forgotten',
  labelNames: ['outcome'],
})

/** Finds abandoned carts. Waiting ones are rows of the inbox: they cost no memory, and survive restarts and restores. */
export function startAbandonedCarts(options: AbandonedCartsOptions): RunningConsumers {
  const { log, pool, transport = runDirectConsumer, now = databaseNow } = options
  const onFault = faultLines(options.logger, 'an abandoned cart could not be looked at')
  const fault = (error: unknown): void => onFault(error, null)
  const db = kyselyOn<ReadModels>(pool)
  const abandoning = {
    lastActivities: (workspaceId: WorkspaceId, contactId: ContactId, events: readonly string[]) =>
      lastActivities(db, { workspaceId, contactId, events }),
    onOutcome: (outcome: CartOutcome) => carts.inc({ outcome }),
    ...options,
    now,
  }
  const shared = { pool, kind: ABANDONED_CART, onReleased: () => lanes.wake(), onFault: fault }
  const suspended = createSuspendedMessages({ ...shared, workspaces: options.workspaces })
  const gate = createReadGate({ ...shared, head: () => log.head(), reads: options.reads })
  const lanes = runLanes({
    pool,
    kind: ABANDONED_CART,
    concurrency: CONCURRENCY,
    work: gate.guard(
      ({ payload }) => payload,
      (job) => abandonCart({ ...abandoning, suspended, gate }, job),
    ),
    onFault,
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
