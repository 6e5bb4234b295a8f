import type { Consumer } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import {
  type EmailOpened,
  type MessageBounced,
  type MessageComplained,
  type MessageDelivered,
  type MessageReceiptIgnored,
  receiptKind,
} from '@tidings/domain'
import { type Admission, EMAIL_OUTCOME } from '@tidings/jobs'

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
