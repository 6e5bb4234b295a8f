import { databaseNow } from '@tidings/async/clock'
import { type Consumer, runDirectConsumer, type Transport } from '@tidings/bus'
import type { EventLog, Recorded } from '@tidings/codec'
import type { CommandExecutor } from '@tidings/commands'
import type { ActivityRecorded, ContactId, WorkspaceId, WorkspaceStatus } from '@tidings/domain'
import { ABANDONED_CART, type Admission, runLanes } from '@tidings/jobs'
import type { Logger } from '@tidings/observability/log'
import { counter, eachOf } from '@tidings/observability/metrics'
import { kyselyOn } from '@tidings/postgres'
import type { ReadYourWrites } from '@tidings/projections'
import { lastActivities, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import { createReadGate } from '../reads/read-gate.ts'
import { faultLines, type RunningConsumers } from '../running.ts'
import { createSuspendedMessages } from '../send/suspended-messages.ts'
import { abandonCart, type CartOutcome, type LastActivities } from './abandon-cart.ts'

/** Admits every cart: a job that asks an hour later what became of it. Only a `checkout.started` has one: it has no order yet (N477). */
export function cartConsumer({ admit }: Readonly<{ admit: Admission }>): Consumer {
  return {
    group: ABANDONED_CART,
    types: ['ActivityRecorded'],
    concerns: (events) => (events as readonly Recorded<ActivityRecorded>[]).some(isCheckout),
    handle: async (events, tx) => {
      const carts = (events as readonly Recorded<ActivityRecorded>[]).filter(isCheckout)
      const jobs = carts.map(({ meta, data, position }) => ({
        workspaceId: meta.workspaceId,
        lane: data.activityId,
        seq: position.commit,
        payload: data.activityId,
      }))
      return await admit(tx, jobs)
    },
  }
}

const isCheckout = ({ data }: Recorded<ActivityRecorded>): boolean => data.event === 'checkout.started'

/**
 * `lastActivities`: by default from the read models. `onOutcome`: hears what became of each cart, by default the counter. `transport`: how events
 * come, by default from the log.
 */
export type AbandonedCartsOptions = Readonly<{
  log: EventLog
  pool: Pool
  commands: CommandExecutor
  reads: ReadYourWrites
  workspaces: Readonly<{
    status: (workspaceId: WorkspaceId) => WorkspaceStatus | Promise<WorkspaceStatus>
    statusNow: (workspaceId: WorkspaceId) => Promise<WorkspaceStatus>
  }>
  logger: Logger
  lastActivities?: (workspaceId: WorkspaceId, contactId: ContactId, events: readonly string[]) => Promise<LastActivities>
  transport?: Transport
  now?: () => number
  onOutcome?: (outcome: CartOutcome) => void
}>

const CONCURRENCY = 16

const carts = counter(
  {
    name: 'tidings_carts_total',
    help: 'Carts that were looked at an hour after they began, by outcome: abandoned, bought, renewed, missed, forgotten',
    labelNames: ['outcome'],
  },
  eachOf('outcome', ['abandoned', 'bought', 'renewed', 'missed', 'forgotten']),
)

/** Finds abandoned carts. Waiting ones are rows of the inbox: they cost no memory, and survive restarts and restores. */
export function startAbandonedCarts(options: AbandonedCartsOptions): RunningConsumers {
  const { log, pool, transport = runDirectConsumer, now = databaseNow } = options
  const onFault = faultLines(options.logger, 'an abandoned cart could not be looked at')
  const fault = (error: unknown): void => onFault(error, null, null)
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
