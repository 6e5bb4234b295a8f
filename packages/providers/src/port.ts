/** The order of messages: passcodes before transactional messages, those before marketing (M43). */
export type Priority = 'passcode' | 'transactional' | 'marketing'

/**
 * `fence` runs right before the hand-over, after every wait, when a slot is free for this very message: if it rejects, nothing is sent, the
 * slot goes to the next message, and its error is thrown; undefined means that it agrees. It may be called more than once. `signal` cancels the
 * wait before the call, and with `endsConnecting` the attempt to reach the provider as well, never what has left. `handedOver` is called when the whole message has left: from then on the provider may have taken it, also
 * where its answer is lost. `returned` is called when the provider did not take it, and its outcome waits: it is sent again, or it is looked first
 * whether that is an outage. It may be called more than once. Where a setting names several providers (M68), `boundTo` is the one that may have the
 * message already, and `chosen` gets the label of the one that the message goes to now, before it waits there; it is called again for each further one.
 * `isFencedLast`: the fence puts down where the message goes, so it is asked when the message itself leaves next, and not ahead.
 */
export type SendOptions = Readonly<{
  signal: AbortSignal
  fence: () => Promise<void> | undefined
  priority: Priority
  handedOver?: () => void
  returned?: () => void
  boundTo?: string | null
  chosen?: (provider: string) => void
  isFencedLast?: boolean
  endsConnecting?: boolean
}>

/**
 * recipient: refused for good because of the recipient (an address or a number that does not exist, a mailbox that is closed).
 * refused: refused for good for any other reason (relaying, policy, size, content, sender), or it cannot be put on the wire; the recipient is left untouched.
 * temporary: a retry may succeed (a server's "later", a full mailbox, no answer in time).
 * unconfirmed: the message had left, and its answer is missing or does not say: it may have been taken.
 * outage: no message can leave at all (no connection, no TLS, no login): this message was not tried and is not the reason.
 */
export type DeliveryFailure = 'recipient' | 'refused' | 'temporary' | 'unconfirmed' | 'outage'

type DeliveryDetails = Readonly<{
  response?: string | null
  saidByReceiver?: boolean
  retryAfterMs?: number
  isOptOut?: boolean
  isPartlyTaken?: boolean
}>

export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  readonly failure: DeliveryFailure
  /** The server's reply with its code; null without one. May name the recipient: seal it before storing. */
  readonly response: string | null
  /** The receiving server itself asks to retry: after the last try that is a soft bounce, not an unavailable provider. */
  readonly saidByReceiver: boolean
  /** The server asks not to be called sooner; 0 where it does not. */
  readonly retryAfterMs: number
  /** It is refused because its recipient asked the gateway to stop (M49). */
  readonly isOptOut: boolean
  /** The provider took a part of it, so that no other provider may get it (M68). */
  readonly isPartlyTaken: boolean
  constructor(failure: DeliveryFailure, message: string, details: DeliveryDetails = {}) {
    super(message)
    this.failure = failure
    this.response = details.response ?? null
    this.saidByReceiver = details.saidByReceiver ?? false
    this.retryAfterMs = details.retryAfterMs ?? 0
    this.isOptOut = details.isOptOut ?? false
    this.isPartlyTaken = details.isPartlyTaken ?? false
  }
}
