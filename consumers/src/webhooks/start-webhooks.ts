import { runDirectConsumer, type Transport } from '@tidings/bus'
import type { EventLog, KeyRing } from '@tidings/codec'
import { createLineBudget } from '@tidings/observability/line-budget'
import type { Logger } from '@tidings/observability/log'
import { counter, eachOf, histogram, observe, sharedRead } from '@tidings/observability/metrics'
import { createCaller, type Guard } from '@tidings/outbound-http'
import { estimatedRows } from '@tidings/postgres'
import type { Pool } from 'pg'
import { faultLines, type RunningConsumers } from '../running.ts'
import type { WorkspaceView } from '../views/workspace-view.ts'
import { backoffFrom, deliver } from './deliver.ts'
import { createEndpointView } from './endpoint-view.ts'
import { fanOutConsumer } from './fan-out.ts'
import { createPayloadReader } from './payload-reader.ts'
import { createPayloads } from './payloads.ts'
import { admission, admittedOf } from './queue/admit.ts'
import { runQueues } from './queue/run-queues.ts'
import type { Attempt, Delivery } from './queue/statements.ts'

/** `all` deliveries wait, `longest` of them for one endpoint. */
type WebhookDepth = Readonly<{ all: number; longest: number }>

/** At most so many queues are counted; beyond, `all` is the planner's estimate and `longest` the longest counted one. */
const COUNTED = 10_000

type QueueDepthRow = Readonly<{ queues: number; waiting: number; longest: number }>

/** Counts the webhook deliveries that wait in the installation. Costs the same whatever waits. */
export async function webhookDepth(pool: Pool, counted: number = COUNTED): Promise<WebhookDepth> {
  const { rows } = await pool.query<QueueDepthRow>('select queues, waiting::float8 as waiting, longest from webhooks.depth($1)', [counted])
  const { queues, waiting, longest } = rows[0] ?? { queues: 0, waiting: 0, longest: 0 }
  if (queues < counted) return { all: waiting, longest }
  return { all: Math.max(waiting, await estimatedRows(pool, 'webhooks.delivery')), longest }
}

/** `backoffMs`: the delay after the first failure. `timeoutMs`: of one attempt. `backlog`: deliveries that may wait for one endpoint. */
type WebhookSettings = Readonly<{ backoffMs: number; timeoutMs: number; backlog: number; standardHeaders: number }>

type WebhooksOptions = Readonly<{
  log: EventLog
  pool: Pool
  requestPool: Pool
  keyRing: Pick<KeyRing, 'shred' | 'onForget' | 'cached' | 'load'>
  workspaces: WorkspaceView
  urlGuard: Guard
  webhooks: WebhookSettings
  logger: Logger
  transport?: Transport
  /** Whether `transport` reads the log itself; by default it does. */
  fromLog?: boolean
}>

/** Connections to one address of an endpoint's server. */
const CONNECTIONS = 16

const tries = counter(
  {
    name: 'tidings_webhook_tries_total',
    help: 'Attempts of webhook deliveries by result: delivered, retrying, dropped',
    labelNames: ['outcome'],
  },
  eachOf('outcome', ['delivered', 'retrying', 'dropped']),
)
const seconds = histogram({
  name: 'tidings_webhook_try_seconds',
  help: 'Seconds that receivers of webhooks take to answer',
  buckets: [0.005, 0.025, 0.1, 0.5, 2, 10],
})
const dropped = counter({
  name: 'tidings_webhook_backlog_dropped_total',
  help: 'Webhook deliveries that were not admitted because too many wait for their endpoint',
})

/** Delivers webhooks: a consumer that fans events out to endpoints, and queues that deliver. */
export function startWebhooks(options: WebhooksOptions): RunningConsumers {
  const { log, pool, workspaces, keyRing, logger, transport = runDirectConsumer } = options
  const { backoffMs, timeoutMs, backlog, standardHeaders } = options.webhooks
  const onJobFault = faultLines(logger, 'webhooks could not be delivered for a moment')
  const onFault = (error: unknown): void => onJobFault(error, null, null)
  const caller = createCaller({ guard: options.urlGuard, timeoutMs, connections: CONNECTIONS })
  const made = {
    workspaces,
    endpoints: createEndpointView(log),
    payloads: createPayloads(createPayloadReader(log, keyRing)),
  }
  keyRing.onForget(made.payloads.clear)
  const delivering = {
    ...made,
    caller,
    backoffMs: backoffFrom(backoffMs),
    standardHeaders: standardHeaders === 1,
    onResult: (outcome: string, ms: number) => {
      tries.inc({ outcome })
      seconds.observe(ms / 1_000)
    },
    onDropped: reportGivenUp(logger),
  }
  const queues = runQueues({
    pool,
    callMs: timeoutMs,
    prepare: made.payloads.prepare,
    work: async (delivery, signal) => {
      await log.confirm()
      return await deliver(delivering, delivery, signal)
    },
    onFault,
  })
  const consumer = fanOutConsumer({
    ...made,
    keyRing,
    fromLog: options.fromLog ?? true,
    freed: queues.freed,
    admission: (deliveries) => {
      const offer = queues.offer(deliveries)
      return {
        ...admission(deliveries, backlog, offer),
        done: (value) => {
          const admitted = admittedOf(value)
          if (admitted.dropped > 0) reportDropped(logger, admitted.dropped)
          offer.admitted(admitted)
        },
      }
    },
  })
  // The group reads from the start of the log: an endpoint gets only events after its creation, whenever this group began.
  const running = transport({ consumer, log, pool, startAt: 'start', onFault })
  observeWebhooks(options.requestPool, () => queues.load().running)
  return {
    views: [workspaces, made.endpoints],
    progress: () => ({ [running.group]: running.progress() }),
    stop: async () => {
      await running.stop()
      await queues.stop()
      await caller.close()
    },
  }
}

/** One delivery a line, of a receiver that fails for long 60 in a minute: `tidings webhook why` has all of them. */
function reportGivenUp(logger: Logger): (delivery: Delivery, attempt: Attempt) => void {
  const budget = createLineBudget({ lines: 60, perMs: 60_000 })
  return ({ workspaceId }, { endpointId, deliveryId, event, attempt, status, error }) =>
    budget((unsaid) =>
      logger.warn(
        { workspaceId, endpointId, deliveryId, event, attempts: attempt, status, error, ...(unsaid > 0 && { unsaid }) },
        'a webhook delivery was given up after its last attempt, and is dropped: see `tidings webhook why`',
      ),
    )
}

function reportDropped(logger: Logger, count: number): void {
  dropped.inc(count)
  logger.warn({ count }, 'webhook deliveries were dropped: too many wait for their endpoint')
}

/** Deliveries that wait in the installation, and those at work in this process. */
function observeWebhooks(pool: Pool, running: () => number): void {
  const waiting = sharedRead(() => webhookDepth(pool))
  observe({
    name: 'tidings_webhook_waiting',
    help: 'Webhook deliveries that wait; an estimate from 10 000 endpoints on',
    read: async () => (await waiting()).all,
  })
  observe({
    name: 'tidings_webhook_longest_queue',
    help: 'Webhook deliveries that wait for the endpoint with the most',
    read: async () => (await waiting()).longest,
  })
  observe({ name: 'tidings_webhook_running', help: 'Webhook deliveries being attempted in this process', read: running })
}
