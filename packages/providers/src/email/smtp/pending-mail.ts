import type { SendOptions } from '../../port.ts'
import type { OutgoingMail } from './transaction.ts'

/**
 * A mail that waits to be sent. Exactly one of `done`, with what the server said, and `failed` is called, once. `build` is called when a session has time for the mail, so
 * that the queue holds no second copy of it; it may throw `DeliveryError`.
 */
export type PendingMail = SendOptions &
  Readonly<{ workspaceId: string; build: () => OutgoingMail; done: (answer: string) => void; failed: (error: unknown) => void }>

/**
 * The queue of pending mails as one session sees it. `take` gives null when the session must take no more. `markSlow`: a mail of this session
 * has waited for its answer longer than a command may, so the other mails must not count on this session. `isQuick`: answers come soon enough for
 * an envelope to be sent ahead; `noteAnswer`: how long one took.
 */
export type SessionQueue = Readonly<{
  take: () => PendingMail | null
  putBack: (mail: PendingMail) => void
  markSlow: () => void
  isQuick: () => boolean
  noteAnswer: (ms: number) => void
}>
