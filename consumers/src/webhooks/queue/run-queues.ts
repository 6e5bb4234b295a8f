import { announceDue, watchDue } from '@tidings/inbox'
import { createWorkLoop } from '@tidings/work-loop'
import { EndpointQueues, type QueueSettings } from './endpoint-queues.ts'
import { FIRST_FREE } from './statements.ts'

/** Defaults: 1 024 places, a lease of 30 s, or three times `callMs` where that is longer, and a poll every second while queues are held. */
export type QueuesOptions = Pick<QueueSettings, 'pool' | 'work' | 'callMs'> & Partial<QueueSettings>

export type RunningQueues = Readonly<{
  /** Deliveries to these endpoints were admitted: this process begins those of the queues that it holds, or may hold; others hear of the rest. */
  admitted: (endpointIds: Iterable<string>) => void
  /** Queues may be claimed that could not be before. */
  freed: () => void
  wake: () => void
  /** Claims nothing more and lets running deliveries finish for `graceMs`, then aborts them; what is left is delivered by another process. */
  stop: (graceMs?: number) => Promise<void>
  /** `held`: deliveries that are ready or run here. */
  load: () => Readonly<{ queues: number; held: number; running: number }>
}>

const WEBHOOKS = 'webhooks'
const PLACES = 1_024
const LEASE_MS = 30_000
const POLL_MS = 1_000

/** Delivers what waits: the queues of many endpoints side by side, each held by one process at a time. */
export function runQueues(options: QueuesOptions): RunningQueues {
  const { places = PLACES, pollMs = POLL_MS, onFault } = options
  const leaseMs = Math.max(options.leaseMs ?? LEASE_MS, 3 * options.callMs)
  const queue = new EndpointQueues({ ...options, places, pollMs, leaseMs })
  const loop = createWorkLoop({ queue, concurrency: places, onFault: (error) => onFault?.(error) })
  const wake = (): void => loop.wake()
  const freed = (): void => {
    wake()
    announceDue(options.pool, WEBHOOKS)
  }
  const watch = watchDue(options.pool, { kind: WEBHOOKS, sql: FIRST_FREE }, wake)
  return {
    wake,
    freed,
    admitted: (endpointIds) => {
      for (const endpointId of endpointIds) if (!queue.holds(endpointId)) return freed()
      wake()
    },
    stop: async (graceMs = 8_000) => {
      await Promise.all([watch.stop(), loop.stop(graceMs)])
    },
    load: () => queue.load(),
  }
}
