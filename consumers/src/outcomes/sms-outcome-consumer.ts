import type { Consumer } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import type { MessageFailed, MessageReceiptIgnored } from '@tidings/domain'
import type { Admission } from '@tidings/inbox'

export const SMS_OUTCOME = 'sms-outcome'

type Outcome = MessageFailed | MessageReceiptIgnored

/** Admits text messages whose number can never be reached, so that the consequence for the contact survives a crash. */
export function smsOutcomeConsumer({ admit }: Readonly<{ admit: Admission }>): Consumer {
  return {
    group: SMS_OUTCOME,
    types: ['MessageFailed', 'MessageReceiptIgnored'],
    concerns: (events) => (events as readonly Recorded<Outcome>[]).some(isUnreachable),
    handle: async (events, tx) => {
      const outcomes = (events as readonly Recorded<Outcome>[]).filter(isUnreachable)
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
const isUnreachable = ({ type, data }: Outcome): boolean =>
  data.channel === 'sms' && (type === 'MessageFailed' ? data.reason === 'invalid_address' : data.receipt === 'failed')
