import type { Recorded, StreamReader } from '@tidings/codec'
import type { ContactEvent, ContactId, WorkspaceId } from '@tidings/domain'
import { contactEvents } from '../contact/contact-events.ts'
import { type ConsentState, consentAt } from './consent-at.ts'

export type WantedConsent = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; at: string | null }>

const SAYING: ReadonlySet<string> = new Set<ContactEvent['type']>(['ContactCreated', 'ContactConsentRecorded', 'ContactErasureRequested'])

/**
 * A contact's consent now, or at a moment, from the log itself: exact at once, with positions, and also while the read side is behind. Null where the
 * workspace had no such contact then, or has it no more.
 */
export async function readConsent(log: StreamReader, { workspaceId, contactId, at }: WantedConsent): Promise<ConsentState | null> {
  const events: Recorded<ContactEvent>[] = []
  for await (const event of contactEvents(log, { workspaceId, contactId })) {
    if (SAYING.has(event.type)) events.push(event)
  }
  return consentAt(events, at)
}
