import type { Consumer } from '@tidings/bus'
import { type Job, type Lease, MARKETING_KINDS, type OnJobFault, runLanes, SEND_KINDS, type SendChannel, type Verdict } from '@tidings/jobs'
import type { LogView } from '@tidings/log-views'
import type { Pool } from 'pg'
import type { WorkspaceView } from '../views/workspace-view.ts'
import { messageConsumer } from './message-consumer.ts'
import { createRecentMessages, type RecentMessages } from './recent-messages.ts'
import { recordAttempts } from './record-attempts.ts'
import { createSuspendedMessages, type SuspendedMessages } from './suspended-messages.ts'

/** So many keep 20 SMTP sessions busy while others wait for the group commit of their outcome. */
const CONCURRENCY = 128

/** Jobs of a killed process wait this long: a crash may delay nothing by more than a minute, the start included (O1). */
export const LEASE_MS = 30_000

/** What one channel's worker shares with its consumer and its lanes. `concurrency`: of this kind of jobs. */
type Shared = Readonly<{ recent: RecentMessages; suspended: SuspendedMessages; concurrency: number }>

/** `work` is one attempt at one message. Each message of a provider with `hasSeveral` is a row from the start: the row gets to whom it goes. */
export type ChannelLanes = Readonly<{
  channel: SendChannel
  provider: Readonly<{ callMs: number; hasSeveral?: boolean; outage: () => string | null }>
  views: readonly LogView[]
  work: (shared: Shared) => (job: Job, lease: Lease, signal: AbortSignal) => Promise<Verdict>
}>

type SendLanesOptions = Readonly<{
  pool: Pool
  workspaces: WorkspaceView
  concurrency?: number | undefined
  leaseMs?: number | undefined
  onFault: OnJobFault
}>

export type RunningSendLanes = Readonly<{ consumer: Consumer; views: readonly LogView[]; stop: () => Promise<void> }>

/** Runs the jobs of one channel: what its consumer admits, and what waited for the end of a suspension of its workspace. */
export function startSendLanes(lanes: ChannelLanes, options: SendLanesOptions): RunningSendLanes {
  const { channel, views } = lanes
  const recent = createRecentMessages()
  const lanesOf = (jobs: string) => startLanes(lanes, options, { kind: jobs, recent })
  const [transactional, marketing] = [lanesOf(SEND_KINDS[channel].transactional), lanesOf(SEND_KINDS[channel].marketing)]
  return {
    consumer: messageConsumer(channel, { recent, transactional, marketing }),
    views: [...views, transactional.view, marketing.view],
    stop: async () => {
      await Promise.all([transactional.stop(), marketing.stop()])
    },
  }
}

type OfKind = Readonly<{ kind: string; recent: RecentMessages }>

function startLanes({ provider, work }: ChannelLanes, options: SendLanesOptions, { kind, recent }: OfKind) {
  const { pool, workspaces, onFault, concurrency = CONCURRENCY, leaseMs = LEASE_MS } = options
  const suspended = createSuspendedMessages({
    pool,
    kind,
    workspaces,
    onReleased: () => lanes.wake(),
    onFault: (error) => onFault(error, null, null),
  })
  const attempt = work({ recent, suspended, concurrency })
  const lanes = runLanes({
    pool,
    kind,
    concurrency,
    leaseMs: Math.max(leaseMs, 3 * provider.callMs),
    bundles: provider.hasSeveral !== true,
    // A campaign may have a hundred thousand messages, and no request whose trace they could be in.
    work: MARKETING_KINDS.includes(kind) ? attempt : recordAttempts(kind, attempt),
    isPaused: () => provider.outage() !== null,
    onFault: (error, job, became) => {
      if (job === null) recent.clear()
      onFault(error, job, became)
    },
  })
  const stop = async (): Promise<void> => {
    await Promise.all([lanes.stop(), suspended.stop()])
  }
  return { admit: lanes.admit, admission: lanes.admission, view: suspended.view, stop }
}
