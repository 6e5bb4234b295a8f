import { type Consumer, runDirectConsumer, type Transport } from '@tidings/bus'
import type { EventLog, Recorded } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import {
  type EmailOpened,
  type MessageBounced,
  type MessageComplained,
  type MessageDelivered,
  type MessageFailed,
  type MessageReceiptIgnored,
  receiptKind,
} from '@tidings/domain'
import { type Admission, EMAIL_OUTCOME, runLanes, SMS_OUTCOME } from '@tidings/jobs'
import type { Logger } from '@tidings/observability/log'
import type { Pool } from 'pg'
import { faultLines, type RunningConsumers } from '../running.ts'
import { LEASE_MS } from '../send/send-lanes.ts'
import type { NoteFacts } from './holder-to-tell.ts'
import { noteOutcome } from './note-outcome.ts'
import { noteSmsOutcome } from './note-sms-outcome.ts'

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
    transport({ consumer, log, pool, startAt: 'start', onFault: (error) => onFault(error, null, null) }),
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

type EmailOutcome = MessageDelivered | MessageBounced | MessageComplained | MessageReceiptIgnored | EmailOpened

/** Admits what became of delivered mail, so that its consequences for the contact survive a crash. Soft bounces and machines have none. */
export function outcomeConsumer({ admit }: Readonly<{ admit: Admission }>): Consumer {
  return {
    group: EMAIL_OUTCOME,
    types: ['MessageDelivered', 'MessageBounced', 'MessageComplained', 'MessageReceiptIgnored', 'EmailOpened'],
    concerns: (events) => (events as readonly Recorded<EmailOutcome>[]).some(hasConsequences),
    handle: async (events, tx) => {
      const outcomes = (events as readonly Recorded<EmailOutcome>[]).filter(hasConsequences)
      const jobs = outcomes.flatMap(({ meta, data: { contactId, messageId }, position, revision }) =>
        contactId === null
          ? []
          : [{ workspaceId: meta.workspaceId, lane: contactId, seq: position.commit, payload: `${messageId}@${revision}` }],
      )
      return await admit(tx, jobs)
    },
  }
}

const hasConsequences = ({ type, data }: EmailOutcome): boolean => {
  if (data.channel !== 'email') return false
  if (type === 'MessageBounced') return data.hard
  if (type === 'MessageReceiptIgnored') return data.receipt !== 'failed' && receiptKind(data) !== 'soft bounce'
  return type !== 'EmailOpened' || !data.machine
}

type SmsMessageOutcome = MessageFailed | MessageReceiptIgnored

/** Admits text messages whose failure says something of the contact or its number, so that the consequence survives a crash. */
export function smsOutcomeConsumer({ admit }: Readonly<{ admit: Admission }>): Consumer {
  return {
    group: SMS_OUTCOME,
    types: ['MessageFailed', 'MessageReceiptIgnored'],
    concerns: (events) => (events as readonly Recorded<SmsMessageOutcome>[]).some(hasSmsConsequence),
    handle: async (events, tx) => {
      const outcomes = (events as readonly Recorded<SmsMessageOutcome>[]).filter(hasSmsConsequence)
      const jobs = outcomes.flatMap(({ meta, data: { contactId, messageId }, position, revision }) =>
        contactId === null
          ? []
          : [{ workspaceId: meta.workspaceId, lane: contactId, seq: position.commit, payload: `${messageId}@${revision}` }],
      )
      return await admit(tx, jobs)
    },
  }
}

/** The facts of a late receipt are sealed: its job reads them. */
const hasSmsConsequence = ({ type, data }: SmsMessageOutcome): boolean =>
  data.channel === 'sms' && (type === 'MessageFailed' ? isAboutRecipient(data.reason) : data.receipt === 'failed')

/** A number that can never be reached (N188), a person who has asked the gateway to stop (M49). */
const isAboutRecipient = (reason: MessageFailed['data']['reason']): boolean => reason === 'invalid_address' || reason === 'sms_stop'
