import { type MaybePromise, whenKnown } from '@tidings/async'
import type { ContactId, WorkspaceId } from '@tidings/domain'
import type { SendOptions } from '@tidings/providers'
import type { Recipient } from '../views/recipient-view.ts'
import type { LiveBrowser } from './live-browsers.ts'

/** The state of a browser in the contact's own stream, if the browser was the contact's when the message was begun. */
type Ownership = 'own' | 'left' | 'registered again'

/** The browser is not the contact's any more, or has other keys, so it was not called. */
export class NotCalled extends Error {
  override readonly name = 'NotCalled'
  readonly because: Exclude<Ownership, 'own'>
  constructor(because: Exclude<Ownership, 'own'>) {
    super('the browser is not as it was when the message was begun')
    this.because = because
  }
}

/** Answers without a promise if the contact is known. */
function ownershipOf(
  recipients: Readonly<{ find: (workspaceId: WorkspaceId, contactId: ContactId) => Recipient | Promise<Recipient> }>,
  workspaceId: WorkspaceId,
  browser: LiveBrowser,
): MaybePromise<Ownership> {
  return whenKnown(recipients.find(workspaceId, browser.contactId), ({ browsers }) => {
    const known = browsers.find(({ endpointHash }) => endpointHash === browser.endpointHash)
    if (known === undefined) return 'left'
    return known.registration === browser.registration ? 'own' : 'registered again'
  })
}

type Fence = SendOptions['fence']

/** The fence of one browser's call (M43): what all browsers of the message wait for, and then whether this one is still the contact's. */
export function fenceOfBrowser(
  fence: Fence,
  judged: Readonly<{
    recipients: Readonly<{ find: (workspaceId: WorkspaceId, contactId: ContactId) => Recipient | Promise<Recipient> }>
    workspaceId: WorkspaceId
    browser: LiveBrowser
  }>,
): Fence {
  const judge = (): Promise<void> | undefined => {
    const ownership = ownershipOf(judged.recipients, judged.workspaceId, judged.browser)
    if (typeof ownership !== 'string') return ownership.then(pass)
    return ownership === 'own' ? undefined : Promise.reject(new NotCalled(ownership))
  }
  return () => {
    const open = fence()
    return open === undefined ? judge() : open.then(judge)
  }
}

const pass = (ownership: Ownership): void => {
  if (ownership !== 'own') throw new NotCalled(ownership)
}
