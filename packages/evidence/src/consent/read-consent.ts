import type { Recorded, StreamReader } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import { type ContactEvent, type ContactId, contactStream, type WorkspaceId } from '@tidings/domain'
import { streamEvents } from '@tidings/log-views'
import { type ConsentState, consentAt } from './consent-at.ts'

export type WantedConsent = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; at: string | null }>

const SAYING: ReadonlySet<string> = new Set<ContactEvent['type']>(['ContactCreated', 'ContactConsentRecorded', 'ContactErasureRequested'])

/**
 * A contact's consent now, or at a moment, from the log itself: exact at once, with positions, and also while the read side is behind. Null where the
 * workspace had no such contact then, or has it no more.
 */
export async function readConsent(log: StreamReader, { workspaceId, contactId, at }: WantedConsent): Promise<ConsentState | null> {
  const events: Recorded<ContactEvent>[] = []
  let first: number | null = null
  const stream = contactStream(workspaceId, contactId)
  for await (const event of streamEvents<ContactEvent>(log, { workspaceId, stream })) {
    if (first === null && event.revision > 0)
      throw new OperationFailed(
        `The history of contact ${contactId} begins at revision ${event.revision}: the log hides what was before. Run \`tidings log verify\`.`,
      )
    first ??= event.revision
    if (SAYING.has(event.type)) events.push(event)
  }
  return consentAt(events, at)
}
