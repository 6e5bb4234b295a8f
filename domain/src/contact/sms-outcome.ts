import type { ContactEvent, UnsubscribedBy } from './contact.events.ts'
import type { NoteSmsOptOut, NoteSmsReply, NoteSmsUnreachable } from './contact-commands.ts'
import type { ContactState } from './contact-state.ts'

/** Cleans the SMS consent (N188). A number that the contact no longer has gives no event. */
export function smsUnreachableEvents({ contactId, phone }: NoteSmsUnreachable['data'], state: ContactState): readonly ContactEvent[] {
  if (state.phone !== phone || state.consents.sms === 'cleaned') return []
  return [consent(contactId, state, { to: 'cleaned', source: 'undeliverable', message: null })]
}

/**
 * A repeated reply gives an event each time: each reply is a line of the consent history (M19). STOP suppresses too, and is the person's, whatever
 * number he has by now (M45); START is for the number, and lifts that suppression, where no other reason stands beside it.
 */
export function smsReplyEvents({ contactId, phone, reply, message }: NoteSmsReply['data'], state: ContactState): readonly ContactEvent[] {
  if (reply === 'stop') return stopped(contactId, state, message)
  if (state.phone !== phone) return []
  const reasons = state.suppressions.sms
  const said = consent(contactId, state, { to: 'subscribed', source: 'sms_start', message: null })
  const isOnlyStop = reasons.length > 0 && reasons.every((reason) => reason === 'sms_stop')
  return isOnlyStop ? [said, { type: 'ContactSuppressionLifted', data: { contactId, channel: 'sms' } }] : [said]
}

/** Acts like STOP, but was sent to the gateway: it is recorded once, however often the gateway refuses. */
export function smsOptOutEvents({ contactId, message }: NoteSmsOptOut['data'], state: ContactState): readonly ContactEvent[] {
  const isKnown = state.consents.sms === 'unsubscribed' && state.suppressions.sms.includes('sms_stop')
  return isKnown ? [] : stopped(contactId, state, message)
}

const stopped = (contactId: string, state: ContactState, message: UnsubscribedBy | null): readonly ContactEvent[] => {
  const said = consent(contactId, state, { to: 'unsubscribed', source: 'sms_stop', message })
  return state.suppressions.sms.includes('sms_stop')
    ? [said]
    : [said, { type: 'ContactSuppressed', data: { contactId, channel: 'sms', reason: 'sms_stop' } }]
}

const consent = (
  contactId: string,
  { consents }: ContactState,
  { to, source, message }: Readonly<{ to: 'cleaned' | 'unsubscribed' | 'subscribed'; source: string; message: UnsubscribedBy | null }>,
): ContactEvent => ({
  type: 'ContactConsentRecorded',
  data: { contactId, channel: 'sms', from: consents.sms, to, source, ip: null, userAgent: null, message },
})
