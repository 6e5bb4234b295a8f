import type { ContactId, WorkspaceId } from '@tidings/domain'
import {
  DeliveryError,
  type Priority,
  type PushMessage,
  type PushProvider,
  type SendOptions,
  SubscribedUnderOtherKey,
} from '@tidings/providers'
import type { Attempt } from '../send/begin-attempt.ts'
import { callProvider, type Gate } from '../send/call-provider.ts'
import type { Calls } from '../send/send-once.ts'
import type { Recipient } from '../views/recipient-view.ts'
import type { LiveBrowser } from './live-browsers.ts'
import { fenceOfBrowser, NotCalled } from './own-browser.ts'
import type { Slots } from './slots.ts'

/** `retryAfterMs`: as its push service asks. `isUnderOtherKey`: the browser subscribed with another VAPID key than ours. `wasCalled` false: it was another contact's, or had other keys, by its turn. */
export type FailedCall = Readonly<{
  browser: LiveBrowser
  failure: DeliveryError['failure']
  detail: string
  retryAfterMs?: number
  isUnderOtherKey?: boolean
  wasCalled?: false
}>

/** The answer of a browser's push service. */
export type BrowserAnswer = Readonly<{ browser: LiveBrowser; failure: null; providerMessageId: string }> | FailedCall

type Calling = Readonly<{
  priority: Priority
  gate: Gate
  provider: PushProvider
  recipients: Readonly<{ find: (workspaceId: WorkspaceId, contactId: ContactId) => Recipient | Promise<Recipient> }>
  onResult?: Calls['onResult']
  noteAnswer: Slots['noteAnswer']
}>
type Sending = Readonly<{ message: Omit<PushMessage, 'endpoint' | 'keys'>; browsers: readonly LiveBrowser[] }>

/**
 * Sends one message to all of these browsers at once. Each is judged at its own hand-over, as it may wait longer than others for its push service.
 * Rejects, once all have answered, where the job was lost before a call, or a gate was closed.
 */
export async function callBrowsers(
  { provider, recipients, onResult, noteAnswer, priority, gate }: Calling,
  { message, browsers }: Sending,
  { lease, signal }: Attempt,
): Promise<readonly BrowserAnswer[]> {
  const call = async (browser: LiveBrowser, options: SendOptions): Promise<BrowserAnswer> => {
    const { endpoint, p256dh, auth } = browser
    const started = performance.now()
    const answered = (result: 'accepted' | DeliveryError['failure']): void => {
      const ms = performance.now() - started
      noteAnswer(endpoint, ms)
      onResult?.(result, ms, provider.name)
    }
    try {
      const fence = fenceOfBrowser(options.fence, { recipients, workspaceId: message.workspaceId, browser })
      const { providerMessageId } = await provider.send({ ...message, endpoint, keys: { p256dh, auth } }, { ...options, fence })
      answered('accepted')
      return { browser, failure: null, providerMessageId }
    } catch (error) {
      if (error instanceof NotCalled) return notCalled(browser, error)
      if (!(error instanceof DeliveryError)) throw error
      answered(error.failure)
      const { failure, response, message: words, retryAfterMs } = error
      const isUnderOtherKey = error instanceof SubscribedUnderOtherKey
      return { browser, failure, detail: response ?? words, retryAfterMs, isUnderOtherKey }
    }
  }
  // A browser shows a message that comes twice once: what has no answer is simply tried again, and needs no record.
  const inDoubt = async (): Promise<void> => undefined
  const settled = await callProvider({ lease, signal, callMs: provider.callMs, inDoubt, priority, gate }, (options) =>
    Promise.allSettled(browsers.map((browser) => call(browser, options))),
  )
  const lost = settled.find((one) => one.status === 'rejected')
  // An accepted push must be recorded, even if another worker now has the job; the new owner does the rest.
  const isTaken = settled.some((one) => one.status === 'fulfilled' && one.value.failure === null)
  if (lost !== undefined && !isTaken) throw lost.reason
  return browsers.map((browser, i) => {
    const one = settled[i]
    return one?.status === 'fulfilled' ? one.value : { browser, failure: 'temporary', detail: 'not called' }
  })
}

/** One that has left gets nothing of the message; one that registered again gets it with its new keys, by the next try. */
const notCalled = (browser: LiveBrowser, { because }: NotCalled): FailedCall =>
  because === 'left'
    ? { browser, failure: 'recipient', detail: 'the browser is gone, or another contact has it', wasCalled: false }
    : { browser, failure: 'temporary', detail: 'the browser registered again', wasCalled: false }
