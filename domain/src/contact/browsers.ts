import type { ContactEvent } from './contact.events.ts'
import { consentLines } from './contact-changes.ts'
import type { AddBrowser, RemoveBrowser } from './contact-commands.ts'
import type { ContactBrowser, ContactState } from './contact-state.ts'

const browserOf = ({ browsers }: ContactState, endpointHash: string): ContactBrowser | undefined =>
  browsers.find((browser) => browser.endpointHash === endpointHash)

/** The browser, and the consent that was given in it, which counts again with every registration (M19). */
export function browserAdded({ consent, ...added }: AddBrowser['data'], state: ContactState): readonly ContactEvent[] {
  const consented = consentLines(added.contactId, [consent], state)
  const known = browserOf(state, added.endpointHash)
  // Two registrations at once may arrive here in any order.
  return known !== undefined && known.registration >= added.registration
    ? consented
    : [{ type: 'ContactBrowserAdded', data: added }, ...consented]
}

/** Nothing where the browser has registered again since. With the last one that is gone goes the consent (N188); one that moved takes none along. */
export function browserRemoved(
  { contactId, endpointHash, registration, because }: RemoveBrowser['data'],
  state: ContactState,
): readonly ContactEvent[] {
  if (browserOf(state, endpointHash)?.registration !== registration) return []
  const removed: ContactEvent = { type: 'ContactBrowserRemoved', data: { contactId, endpointHash } }
  if (because === 'moved' || state.browsers.length > 1 || state.consents.push === 'cleaned') return [removed]
  const cleaned = { channel: 'push', status: 'cleaned', source: 'push_endpoint_gone', ip: null, userAgent: null } as const
  return [removed, ...consentLines(contactId, [cleaned], state)]
}
