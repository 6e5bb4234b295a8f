import { isoNow } from '@tidings/async/clock'
import { type Consumer, runDirectConsumer, type Transport } from '@tidings/bus'
import type { EventLog, Recorded } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import type { SenderConfirmationIssued } from '@tidings/domain'
import { type Admission, runLanes, SENDER_CONFIRMATION } from '@tidings/jobs'
import type { Links } from '@tidings/mail-content'
import type { Logger } from '@tidings/observability/log'
import type { RecordLookups } from '@tidings/outbound-http'
import { kyselyOn } from '@tidings/postgres'
import type { EmailProvider } from '@tidings/providers'
import { overdueSenderAddresses, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import { runLeasedRounds } from '../leased-rounds.ts'
import { faultLines, type RunningConsumers } from '../running.ts'
import { RETRY_DELAYS_MS, UNCONFIRMED_MS } from '../send/retries.ts'
import { LEASE_MS } from '../send/send-lanes.ts'
import { checkDomains } from './check-domains.ts'
import { createExpiry, type FindOverdue } from './expire-confirmations.ts'
import { type Confirming, sendConfirmation } from './send-confirmation.ts'

/**
 * `operatorAddress`: the operator's own, from which mailboxes are asked. `blocklists`: their zones. `overdue`: by default from the read models.
 * `everyMs`: between two looks at what is due, by default 5 s. `transport`: how events come, by default from the log. `canWork`: whether this
 * process has the master key in force.
 */
export type SendersOptions = Readonly<{
  log: EventLog
  pool: Pool
  commands: CommandRunner
  email: EmailProvider
  links: Pick<Links, 'verifyUrl'>
  operatorAddress: string
  takeMailbox: Confirming['takeMailbox']
  lookups: RecordLookups
  blocklists: readonly string[]
  canWork: () => boolean
  logger: Logger
  overdue?: FindOverdue
  retryDelaysMs?: readonly number[]
  everyMs?: number
  now?: () => string
  transport?: Transport
}>

const TASK = 'sender domains and addresses'
const EVERY_MS = 5_000
const CONCURRENCY = 4

/** Asks mailboxes to confirm sender addresses, ends what was not confirmed in time, and asks DNS about sender domains. */
export function startSenders(options: SendersOptions): RunningConsumers {
  const { log, pool, commands, email, lookups, everyMs = EVERY_MS, canWork, transport = runDirectConsumer, now = isoNow } = options
  const onFault = faultLines(options.logger, 'a sender could not be proved')
  const fault = (error: unknown): void => onFault(error, null, null)
  const db = kyselyOn<ReadModels>(pool)
  const overdue: FindOverdue = options.overdue ?? ((page) => overdueSenderAddresses(db, page))
  const confirming: Confirming = {
    commands,
    provider: email,
    links: options.links,
    from: options.operatorAddress,
    takeMailbox: options.takeMailbox,
    retryDelaysMs: options.retryDelaysMs ?? RETRY_DELAYS_MS,
    unconfirmedMs: UNCONFIRMED_MS,
    now,
  }
  const lanes = runLanes({
    pool,
    kind: SENDER_CONFIRMATION,
    concurrency: CONCURRENCY,
    leaseMs: Math.max(LEASE_MS, 3 * email.callMs),
    work: (job, lease, signal) => sendConfirmation(confirming, job, lease, signal),
    isPaused: () => email.outage() !== null,
    onFault,
  })
  const consumer = confirmationConsumer({ admit: lanes.admit })
  // The group reads from the start of the log: mails that were asked for before it existed must still leave, and the log says whether they did.
  const running = transport({ consumer, log, pool, startAt: 'start', onFault: fault })
  const expire = createExpiry({ commands, overdue, now, onFault: fault })
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
        await checkDomains({ pool, commands, lookups, zones: options.blocklists, now, onFault: fault }, ending)
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

/** Admits every mail that is to ask the mailbox of a sender address (M14). */
export function confirmationConsumer({ admit }: Readonly<{ admit: Admission }>): Consumer {
  return {
    group: SENDER_CONFIRMATION,
    types: ['SenderConfirmationIssued'],
    handle: (events, tx) =>
      admit(
        tx,
        (events as readonly Recorded<SenderConfirmationIssued>[]).map(({ meta, data: { addressId, confirmationId }, position }) => ({
          workspaceId: meta.workspaceId,
          lane: addressId,
          seq: position.commit,
          payload: `${addressId} ${confirmationId}`,
        })),
      ),
  }
}
