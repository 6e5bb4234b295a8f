import { runDirectConsumer, type Transport } from '@tidings/bus'
import type { EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { EMAIL_OUTCOME, runLanes, SMS_OUTCOME } from '@tidings/jobs'
import type { Logger } from '@tidings/observability/log'
import type { Pool } from 'pg'
import { faultLines, type RunningConsumers } from '../running.ts'
import { LEASE_MS } from '../send/send-lanes.ts'
import type { NoteFacts } from './holder-to-tell.ts'
import { noteOutcome } from './note-outcome.ts'
import { noteSmsOutcome } from './note-sms-outcome.ts'
import { outcomeConsumer } from './outcome-consumer.ts'
import { smsOutcomeConsumer } from './sms-outcome-consumer.ts'

/** `noteFacts`: keeps what outcomes find out with their address (M45). `transport`: how events come, by default from the log. */
type OutcomesOptions = Readonly<{
  log: EventLog
  pool: Pool
  commands: CommandRunner
  logger: Logger
  noteFacts?: NoteFacts
  transport?: Transport
}>

/** Draws what outcomes of messages mean for contacts. */
export function startOutcomes({
  log,
  pool,
  commands,
  logger,
  noteFacts,
  transport = runDirectConsumer,
}: OutcomesOptions): RunningConsumers {
  const onFault = faultLines(logger, 'a job failed')
  const shared = { pool, concurrency: 16, leaseMs: LEASE_MS, onFault }
  const email = runLanes({ ...shared, kind: EMAIL_OUTCOME, work: (job) => noteOutcome({ log, commands, noteFacts }, job) })
  const sms = runLanes({ ...shared, kind: SMS_OUTCOME, work: (job) => noteSmsOutcome({ log, commands, noteFacts }, job) })
  // The groups read from the start of the log: an outcome that came before they existed has its consequence all the same.
  const consumers = [outcomeConsumer(email), smsOutcomeConsumer(sms)].map((consumer) =>
    transport({ consumer, log, pool, startAt: 'start', onFault: (error) => onFault(error, null) }),
  )
  return {
    views: [],
    progress: () => Object.fromEntries(consumers.map((consumer) => [consumer.group, consumer.progress()])),
    stop: async () => {
      await Promise.all(consumers.map((consumer) => consumer.stop()))
      await Promise.all([email.stop(), sms.stop()])
    },
  }
}
