import type { ContactId } from '@tidings/domain'

// Stored in `inbox.job` and in dead letters, shown by metrics, and the names of the consumer groups that admit such jobs: a job of an older
// name would wait for ever.

/** The jobs that send messages of a channel, by what the messages are. The consumer group of a channel has the name of the first. */
export const SEND_KINDS = {
  email: { transactional: 'send-email', marketing: 'send-marketing-email' },
  sms: { transactional: 'send-sms', marketing: 'send-marketing-sms' },
  push: { transactional: 'send-push', marketing: 'send-marketing-push' },
} as const

export type SendChannel = keyof typeof SEND_KINDS

export const SEND_CHANNELS = ['email', 'sms', 'push'] as const satisfies readonly SendChannel[]

export function isSendChannel(channel: string): channel is SendChannel {
  return SEND_CHANNELS.some((one) => one === channel)
}

/** Those of marketing, which has times to wait for. */
export const MARKETING_KINDS: readonly string[] = Object.values(SEND_KINDS).map(({ marketing }) => marketing)

/** The lane in which a contact's messages of a channel are sent. */
export function messageLane(contactId: ContactId, channel: SendChannel): string {
  return `${contactId}:${channel}`
}

export const EMAIL_OUTCOME = 'email-outcome'
export const SMS_OUTCOME = 'sms-outcome'
/** An event that lets a contact into flows. */
export const FLOW_ENTRY = 'flow-entry'
/** A run that is due, or waits until it is: a row, and nothing in memory. */
export const FLOW_RUN = 'flow-run'
/** What came due while a flow was paused. */
export const FLOW_RELEASE = 'flow-release'
/** Messages of a campaign that were put off for what is over. */
export const CAMPAIGN_RELEASE = 'campaign-release'
/** Messages that wait for the end of quiet hours, which is at another time now. */
export const QUIET_HOURS_RELEASE = 'quiet-hours-release'
export const SENDER_CONFIRMATION = 'sender-confirmation'
/** A mail with a link that signs a user in. No event causes it: the route that is asked for it admits it. */
export const LINK_MAIL = 'link-mail'
export const ABANDONED_CART = 'abandoned-cart'
export const DYNAMIC_LISTS = 'dynamic-lists'
