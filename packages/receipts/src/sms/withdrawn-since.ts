import type { EventLog } from '@tidings/codec'
import { type ContactEvent, type ContactId, contactStream, type WorkspaceId } from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'

/** `at` and `head`: when a text of the contact came, and where the log was then. */
export type Withdrawing = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; at: string; head: Position }>

/**
 * Whether the contact withdrew its consent to text messages after a text came. The log alone knows what came behind what: clocks of processes differ. A
 * STOP came in the order of the texts of its number, and may be written behind a text that it came before: that one's moment tells.
 */
export async function withdrawnSince(
  log: Pick<EventLog, 'readStream'>,
  { workspaceId, contactId, at, head }: Withdrawing,
): Promise<boolean> {
  const events = await log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId))
  return events.some(
    ({ type, data, meta, position }) =>
      type === 'ContactConsentRecorded' &&
      data.channel === 'sms' &&
      data.to === 'unsubscribed' &&
      (Date.parse(meta.at) > Date.parse(at) || (data.source !== 'sms_stop' && comparePositions(position, head) > 0)),
  )
}
