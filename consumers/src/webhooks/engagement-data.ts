import type { Recorded } from '@tidings/codec'
import type { EmailClicked, EmailOpened } from '@tidings/domain'

export type EngagementEvent = EmailOpened | EmailClicked

/** Who opened which mail, or where a link of it led (N477). Null for a click of somebody who is erased. */
export const engagementData = (event: Recorded<EngagementEvent>): Readonly<Record<string, unknown>> | null => {
  const { contactId, channel, messageId } = event.data
  const opened = { contactId, occurredAt: event.meta.at, channel, messageId }
  if (event.type === 'EmailOpened') return opened
  return event.erased ? null : { ...opened, url: event.data.url }
}
