import type { Consumer } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import type { MessageFailed, MessageReceiptIgnored } from '@tidings/domain'
import { type Admission, SMS_OUTCOME } from '@tidings/jobs'

type SmsMessageOutcome = MessageFailed | MessageReceiptIgnored

/** Admits text messages whose failure says something of the contact or its number, so that the consequence survives a crash. */
export function smsOutcomeConsumer({ admit }: Readonly<{ admit: Admission }>): Consumer {
  return {
    group: SMS_OUTCOME,
    types: ['MessageFailed', 'MessageReceiptIgnored'],
    concerns: (events) => (events as readonly Recorded<SmsMessageOutcome>[]).some(hasConsequence),
    handle: async (events, tx) => {
      const outcomes = (events as readonly Recorded<SmsMessageOutcome>[]).filter(hasConsequence)
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
const hasConsequence = ({ type, data }: SmsMessageOutcome): boolean =>
  data.channel === 'sms' && (type === 'MessageFailed' ? isAboutRecipient(data.reason) : data.receipt === 'failed')

/** A number that can never be reached (N188), a person who has asked the gateway to stop (M49). */
const isAboutRecipient = (reason: MessageFailed['data']['reason']): boolean => reason === 'invalid_address' || reason === 'sms_stop'
