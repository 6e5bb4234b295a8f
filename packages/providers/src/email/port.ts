/** One email to one person, everything in it final. `messageId` is our id; `at` (ISO) becomes its Date. */
export type EmailMessage = Readonly<{
  workspaceId: string
  messageId: string
  requestId: string
  at: string
  from: Readonly<{ email: string; name: string | null }>
  to: string
  replyTo: string | null
  subject: string
  html: string
  text: string | null
  /** The address where a mail program unsubscribes its reader; only for mail that can be unsubscribed from. */
  unsubscribeUrl?: string
}>

/**
 * `fence` runs right before the provider is called, after every wait: if it rejects, nothing is sent and its error is thrown; undefined means
 * that it holds. It may be called more than once. `signal` cancels the wait before the call, never a call. `handedOver` is called when the
 * whole mail has left: from then on the provider may have taken it, also where its answer is lost.
 */
export type SendOptions = Readonly<{ signal: AbortSignal; fence: () => Promise<void> | undefined; handedOver?: () => void }>

/** How mail leaves. Throws `DeliveryError` and nothing else, besides what `fence` throws. Sending the same message again uses the same Message-ID. */
export type EmailProvider = Readonly<{
  name: string
  /** Longest time of one step of a call, in ms: connecting, or one command. The answer to the mail itself may take far longer. */
  callMs: number
  send: (message: EmailMessage, options: SendOptions) => Promise<Readonly<{ providerMessageId: string }>>
  /** Why no mail can leave at all, null while it can. The provider notices by itself when that is over. */
  outage: () => string | null
  close: () => Promise<void>
}>

/**
 * recipient: refused for good because of the recipient (an address that does not exist, a mailbox that is closed).
 * refused: refused for good for any other reason (relaying, policy, size, content, sender), or it cannot be put on the wire; the recipient is left untouched.
 * temporary: a retry may succeed (4xx, a full mailbox, no answer in time).
 * unconfirmed: the mail had left, and the connection was lost before its answer: it may have been taken.
 * outage: no mail can leave at all (no connection, no TLS, no login): this mail was not tried and is not the reason.
 */
export type DeliveryFailure = 'recipient' | 'refused' | 'temporary' | 'unconfirmed' | 'outage'

export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  readonly failure: DeliveryFailure
  /** The server's reply with its code; null without one. May name the recipient: seal it before storing. */
  readonly response: string | null
  /** The receiving server itself asks to retry: after the last try that is a soft bounce, not an unavailable provider. */
  readonly saidByReceiver: boolean
  constructor(failure: DeliveryFailure, message: string, details: Readonly<{ response?: string | null; saidByReceiver?: boolean }> = {}) {
    super(message)
    this.failure = failure
    this.response = details.response ?? null
    this.saidByReceiver = details.saidByReceiver ?? false
  }
}
