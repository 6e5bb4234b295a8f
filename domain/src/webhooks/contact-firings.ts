import type { ConsentChannel, ContactConsentRecorded, ContactEvent } from '../contact/contact.events.ts'

/** A webhook event about a contact, and the index of the event that causes it. */
type ContactFiring =
  | Readonly<{ name: 'contact.created' | 'contact.updated'; cause: number }>
  | Readonly<{ name: 'contact.unsubscribed'; cause: number; channel: ConsentChannel }>

/**
 * The webhook events of one append: contact created, or else updated, once for any number of changed fields; and each channel that
 * changed to `unsubscribed`. A repeated consent causes none (N477, M19), an erasure none at all, and neither does a consent that is again what it
 * was before its address was cleaned (M45): it fired when the person said it.
 */
export function contactFirings(events: readonly ContactEvent[]): readonly ContactFiring[] {
  const firings: ContactFiring[] = []
  const first = events.findIndex(changes)
  if (first >= 0) firings.push({ name: events[first]?.type === 'ContactCreated' ? 'contact.created' : 'contact.updated', cause: first })
  for (const [cause, { type, data }] of events.entries()) {
    if (type === 'ContactConsentRecorded' && data.to === 'unsubscribed' && data.from !== data.to && !isReturn(data))
      firings.push({ name: 'contact.unsubscribed', cause, channel: data.channel })
  }
  return firings
}

const isReturn = ({ from, source }: ContactConsentRecorded['data']): boolean => from === 'cleaned' && source === 'address_changed'

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
    case 'ContactBrowserAdded':
    case 'ContactBrowserRemoved':
    case 'ContactClaimAbandoned':
    case 'ContactErasureRequested':
    case 'ContactErased':
      return false
    default:
      return type satisfies never
  }
}
