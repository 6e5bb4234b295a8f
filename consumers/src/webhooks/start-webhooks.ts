import { runDirectConsumer, type Transport } from '@tidings/bus'
import type { EventLog, KeyRing } from '@tidings/codec'
import type { Caller } from '@tidings/outbound-http'
import type { Pool } from 'pg'
import type { RunningConsumers } from '../start-consumers.ts'
import type { WorkspaceView } from '../views/workspace-view.ts'
import { type Delivering, deliver } from './deliver.ts'
import { createEndpointView } from './endpoint-view.ts'
import { fanOutConsumer } from './fan-out.ts'
import { createPayloadReader } from './payload-reader.ts'
import { createPayloads } from './payloads.ts'
import { admission, admittedOf } from './queue/admit.ts'
import type { QueuesOptions, RunningQueues } from './queue/run-queues.ts'
import { runQueues } from './queue/run-queues.ts'

/**
 * `backlog`: deliveries that may wait for one endpoint; `onDropped` is called with the number beyond it.
 * `callMs`: the timeout of one attempt. The caller stays open.
 */
export type WebhooksOptions = Pick<Delivering, 'caller' | 'backoffMs' | 'standardHeaders' | 'onResult'> &
  Pick<QueuesOptions, 'callMs' | 'leaseMs'> &
  Readonly<{
    log: EventLog
    pool: Pool
    keyRing: Pick<KeyRing, 'shred' | 'onForget' | 'cached' | 'load'>
    workspaces: WorkspaceView
    caller: Caller
    backlog: number
    transport?: Transport
    onDropped?: (count: number) => void
    onFault?: (error: unknown) => void
  }>

export type RunningWebhooks = RunningConsumers & Readonly<{ load: RunningQueues['load'] }>

/** Delivers webhooks: a consumer that fans events out to endpoints, and queues that deliver. */
export function startWebhooks(options: WebhooksOptions): RunningWebhooks {
  const { log, pool, workspaces, keyRing, transport = runDirectConsumer, onFault, onDropped, backlog, callMs, leaseMs } = options
  const made = {
    workspaces,
    endpoints: createEndpointView(log),
    payloads: createPayloads(createPayloadReader(log, keyRing)),
  }
  keyRing.onForget(made.payloads.clear)
  const queues = runQueues({
    pool,
    callMs,
    prepare: made.payloads.prepare,
    ...(leaseMs !== undefined && { leaseMs }),
    work: async (delivery, signal) => {
      await log.confirm()
      return await deliver({ ...options, ...made }, delivery, signal)
    },
    ...(onFault && { onFault }),
  })
  const consumer = fanOutConsumer({
    ...made,
    keyRing,
    fromLog: transport === runDirectConsumer,
    freed: queues.freed,
    admission: (deliveries) => {
      const offer = queues.offer(deliveries)
      return {
        ...admission(deliveries, backlog, offer),
        done: (value) => {
          const admitted = admittedOf(value)
          if (admitted.dropped > 0) onDropped?.(admitted.dropped)
          offer.admitted(admitted)
        },
      }
    },
  })
  // The group reads from the start of the log: an endpoint gets only events after its creation, whenever this group began.
  const running = transport({ consumer, log, pool, startAt: 'start', ...(onFault && { onFault }) })
  return {
    views: [workspaces, made.endpoints],
    progress: () => ({ [running.group]: running.progress() }),
    load: queues.load,
    stop: async () => {
      await running.stop()
      await queues.stop()
    },
  }
}
