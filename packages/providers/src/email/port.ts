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
  /** Where a mail program posts that its reader unsubscribes; only for mail that can be unsubscribed from. */
  unsubscribeUrl?: string
}>

/**
 * `fence` runs when the provider is about to be called, after every wait: if it rejects, nothing is sent and its error is thrown; undefined
 * says that it holds. It may be asked more than once. `signal` gives up the waiting before the call; a call that has begun is carried through.
 */
export type SendOptions = Readonly<{ signal: AbortSignal; fence: () => Promise<void> | undefined }>

/** How mail leaves. Throws `DeliveryError` and nothing else, besides what `fence` throws. Sending the same message again uses the same Message-ID. */
export type EmailProvider = Readonly<{
  name: string
  /** Longest time one call takes, in ms; what `fence` must be sure of. */
  callMs: number
  send: (message: EmailMessage, options: SendOptions) => Promise<Readonly<{ providerMessageId: string }>>
  close: () => Promise<void>
}>

/**
 * recipient: the receiving side refused this recipient or this mail for good (SMTP 5xx to RCPT or after DATA).
 * refused: the provider refused us, the recipient is left untouched (SMTP 5xx before RCPT), or the mail cannot be put on the wire.
 * temporary: it may pass (4xx, no connection, no answer in time).
 */
export type DeliveryFailure = 'recipient' | 'refused' | 'temporary'

export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  readonly failure: DeliveryFailure
  /** The other side's own words, with its code; null when it said nothing. May name the recipient: seal it before storing. */
  readonly response: string | null
  /** The receiving server itself said "later": after the last try that is a soft bounce, not a provider that was away. */
  readonly saidByReceiver: boolean
  constructor(failure: DeliveryFailure, message: string, told: Readonly<{ response?: string | null; saidByReceiver?: boolean }> = {}) {
    super(message)
    this.failure = failure
    this.response = told.response ?? null
    this.saidByReceiver = told.saidByReceiver ?? false
  }
}
