import type { Recorded, StreamReader } from '@tidings/codec'
import {
  type ContactBrowser,
  type ContactId,
  type PushSubscriptionEvent,
  type PushSubscriptionRegistered,
  pushSubscriptionStream,
  type WorkspaceId,
} from '@tidings/domain'

export type OfContact = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>

/** A browser that may be called. */
export type LiveBrowser = PushSubscriptionRegistered['data']

/** A browser that the contact still has by its own stream, and should not: what forgot it there was cut off. */
export type StaleBrowser = ContactBrowser & Readonly<{ because: 'gone' | 'moved' }>

/** The browsers of a contact, as their streams say now. One whose registration was not written whole is in neither. */
export async function liveBrowsers(
  log: StreamReader,
  of: OfContact,
  browsers: readonly ContactBrowser[],
): Promise<Readonly<{ live: readonly LiveBrowser[]; stale: readonly StaleBrowser[] }>> {
  const found = await Promise.all(browsers.map((browser) => lookAt(log, of, browser)))
  return {
    live: found.flatMap((one) => (one !== null && 'endpoint' in one ? [one] : [])),
    stale: found.flatMap((one) => (one !== null && 'because' in one ? [one] : [])),
  }
}

/** The last event of the stream says all. */
const lookAt = async (
  log: StreamReader,
  { workspaceId, contactId }: OfContact,
  browser: ContactBrowser,
): Promise<LiveBrowser | StaleBrowser | null> => {
  const stream = pushSubscriptionStream(workspaceId, browser.endpointHash)
  const last: Recorded<PushSubscriptionEvent> | undefined = (
    await log.readStream<PushSubscriptionEvent>(workspaceId, stream, { direction: 'backwards', limit: 1 })
  )[0]
  if (last === undefined) return null
  if (last.data.contactId !== contactId) return { ...browser, because: 'moved' }
  if (last.type === 'PushSubscriptionRevoked') return { ...browser, because: 'gone' }
  return last.erased ? null : last.data
}
