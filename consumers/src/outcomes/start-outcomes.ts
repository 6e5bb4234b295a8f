import type { Consumer } from '@tidings/bus'
import type { EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { type Job, runLanes } from '@tidings/inbox'
import type { Pool } from 'pg'
import { LEASE_MS } from '../send/send-lanes.ts'
import type { NoteFacts } from './holder-to-tell.ts'
import { noteOutcome } from './note-outcome.ts'
import { noteSmsOutcome } from './note-sms-outcome.ts'
import { EMAIL_OUTCOME, outcomeConsumer } from './outcome-consumer.ts'
import { SMS_OUTCOME, smsOutcomeConsumer } from './sms-outcome-consumer.ts'

type Parts = Readonly<{
  log: EventLog
  pool: Pool
  runner: CommandRunner
  noteFacts?: NoteFacts | undefined
  onFault?: (error: unknown, job: Job | null) => void
}>

/** What outcomes of messages mean for contacts. */
export function startOutcomes({
  log,
  pool,
  runner,
  noteFacts,
  onFault,
}: Parts): Readonly<{ consumers: readonly Consumer[]; stop: () => Promise<void> }> {
  const shared = { pool, concurrency: 16, leaseMs: LEASE_MS, ...(onFault ? { onFault } : {}) }
  const email = runLanes({ ...shared, kind: EMAIL_OUTCOME, work: (job) => noteOutcome({ log, runner, noteFacts }, job) })
  const sms = runLanes({ ...shared, kind: SMS_OUTCOME, work: (job) => noteSmsOutcome({ log, runner, noteFacts }, job) })
  return {
    consumers: [outcomeConsumer(email), smsOutcomeConsumer(sms)],
    stop: async () => {
      await Promise.all([email.stop(), sms.stop()])
    },
  }
}
