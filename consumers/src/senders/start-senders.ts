import { runDirectConsumer, type Transport } from '@tidings/bus'
import { isoNow } from '@tidings/clock'
import type { EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { type Job, runLanes } from '@tidings/inbox'
import type { RecordLookups } from '@tidings/outbound-http'
import type { EmailProvider } from '@tidings/providers'
import type { Links } from '@tidings/tracking'
import type { Pool } from 'pg'
import { runLeasedRounds } from '../leased-rounds.ts'
import { RETRY_DELAYS_MS, UNCONFIRMED_MS } from '../send/retries.ts'
import { LEASE_MS } from '../send/send-lanes.ts'
import type { RunningConsumers } from '../start-consumers.ts'
import { checkDomains } from './check-domains.ts'
import { confirmationConsumer, SENDER_CONFIRMATION } from './confirmation-consumer.ts'
import { createExpiry, type FindOverdue } from './expire-confirmations.ts'
import { type Confirming, sendConfirmation } from './send-confirmation.ts'

/**
 * `from`: the operator's own address. `zones`: blocklists. `everyMs`: between two looks at what is due, by default 5 s. `transport`: how events
 * come, by default from the log. `canWork`: whether this process has the master key in force.
 */
export type SendersOptions = Readonly<{
  log: EventLog
  pool: Pool
  runner: CommandRunner
  provider: EmailProvider
  links: Pick<Links, 'verifyUrl'>
  from: string
  takeMailbox: Confirming['takeMailbox']
  lookups: RecordLookups
  zones: readonly string[]
  overdue: FindOverdue
  retryDelaysMs?: readonly number[]
  everyMs?: number
  canWork: () => boolean
  now?: () => string
  transport?: Transport
  onFault: (error: unknown, job: Job | null) => void
}>

const TASK = 'sender domains and addresses'
const EVERY_MS = 5_000
const CONCURRENCY = 4

/** Asks mailboxes to confirm sender addresses, ends what was not confirmed in time, and asks DNS about sender domains. */
export function startSenders(options: SendersOptions): RunningConsumers {
  const { log, pool, runner, provider, everyMs = EVERY_MS, canWork, transport = runDirectConsumer, onFault } = options
  const now = options.now ?? isoNow
  const confirming = { ...options, now, retryDelaysMs: options.retryDelaysMs ?? RETRY_DELAYS_MS, unconfirmedMs: UNCONFIRMED_MS }
  const fault = (error: unknown): void => onFault(error, null)
  const lanes = runLanes({
    pool,
    kind: SENDER_CONFIRMATION,
    concurrency: CONCURRENCY,
    leaseMs: Math.max(LEASE_MS, 3 * provider.callMs),
    work: (job, lease, signal) => sendConfirmation(confirming, job, lease, signal),
    isPaused: () => provider.outage() !== null,
    onFault,
  })
  const consumer = confirmationConsumer({ admit: lanes.admit })
  // The group reads from the start of the log: mails that were asked for before it existed must still leave, and the log says whether they did.
  const running = transport({ consumer, log, pool, startAt: 'start', onFault: fault })
  const expire = createExpiry({ runner, overdue: options.overdue, now, onFault: fault })
  const rounds = runLeasedRounds({
    pool,
    task: TASK,
    everyMs,
    canWork,
    round: async (ending) => {
      // Domains are checked even if expiry fails.
      try {
        await expire(ending)
      } finally {
        await checkDomains({ ...options, now, onFault: fault }, ending)
      }
    },
    onFault: fault,
  })
  return {
    views: [],
    progress: () => ({ [running.group]: running.progress() }),
    stop: async () => {
      await running.stop()
      await Promise.all([lanes.stop(), rounds.stop()])
    },
  }
}
