import type { EventLog, Recorded } from '@tidings/codec'
import { type ContactEvent, contactStream, UNCONFIRMED_SIGN_UP } from '@tidings/domain'
import type { FlowCause } from '@tidings/flows'

/**
 * Whether the sign-up is the first that the contact confirmed, and a sign-up created the contact: then `contact_created` flows are entered (M56). A
 * confirmation records its consent in the same request and moment. On a log that writes one stream at a time, a crash between both enters none.
 */
export async function isFirstConfirmation(
  log: Pick<EventLog, 'readStream'>,
  { workspaceId, contactId }: Pick<FlowCause, 'workspaceId' | 'contactId'>,
  { meta: { requestId, at } }: Pick<Recorded, 'meta'>,
): Promise<boolean> {
  const events: readonly Recorded<ContactEvent>[] = await log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId))
  const isUnconfirmed = events.some((event) => event.type === 'ContactCreated' && event.data.source === UNCONFIRMED_SIGN_UP)
  const first = events.find((event) => event.type === 'ContactConsentRecorded' && event.data.source === 'embedded_form')
  return isUnconfirmed && first?.meta.requestId === requestId && first.meta.at === at
}
