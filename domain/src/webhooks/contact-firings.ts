import type { ConsentChannel, ContactEvent } from '../contact/contact.events.ts'

/** What a webhook is told about a contact, and which of the events is its cause. */
export type ContactFiring =
  | Readonly<{ name: 'contact.created' | 'contact.updated'; cause: number }>
  | Readonly<{ name: 'contact.unsubscribed'; cause: number; channel: ConsentChannel }>

/**
 * What the events of one append tell webhooks: that the contact was created, or else that it was updated, once however many of its fields
 * changed; and each channel that moved to `unsubscribed`. A consent said again tells nothing (N477, M19).
 */
export const contactFirings = (events: readonly ContactEvent[]): readonly ContactFiring[] => {
  const firings: ContactFiring[] = []
  const first = events.findIndex(changes)
  if (first >= 0) firings.push({ name: events[first]?.type === 'ContactCreated' ? 'contact.created' : 'contact.updated', cause: first })
  for (const [cause, { type, data }] of events.entries()) {
    if (type === 'ContactConsentRecorded' && data.to === 'unsubscribed' && data.from !== data.to)
      firings.push({ name: 'contact.unsubscribed', cause, channel: data.channel })
  }
  return firings
}

const changes = ({ type, data }: ContactEvent): boolean => {
  switch (type) {
    case 'ContactCreated':
    case 'ContactDetailsChanged':
    case 'ContactEmailChanged':
    case 'ContactPhoneChanged':
      return true
    case 'ContactConsentRecorded':
      return data.from !== data.to
    case 'ContactSuppressed':
    case 'ContactSuppressionLifted':
    case 'ContactEmailValidated':
    case 'ContactClaimAbandoned':
      return false
    default:
      return type satisfies never
  }
}
