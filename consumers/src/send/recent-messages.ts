import { createGenerations } from '@tidings/async'
import type { Recorded } from '@tidings/codec'
import type { Accepted } from './history.ts'

/**
 * A cache of recently accepted messages, between the consumer and the worker of the same process: the message is not read and decrypted again.
 * Holds only messages that this process is the first to see, and each for one `take`: a second attempt must read the stream, where a
 * crash or another worker may have left an outcome.
 */
export type RecentMessages = Readonly<{
  put: (accepted: Recorded<Accepted>) => void
  take: (messageId: string) => Recorded<Accepted> | undefined
  /** After a fault of the database another process may have seen the messages. */
  clear: () => void
}>

const MAX_BYTES = 16 * 1024 * 1024
const ENVELOPE_BYTES = 1_500
/** A message whose job another process has claimed is not taken here: it is dropped when it is as old as this, or half of it. */
const MAX_AGE_MS = 10_000

export function createRecentMessages(maxBytes = MAX_BYTES): RecentMessages {
  const messages = createGenerations<Recorded<Accepted>>({ maxBytes, ageMs: MAX_AGE_MS / 2, sizeOf: roughSize })
  return { put: (accepted) => messages.set(accepted.data.messageId, accepted), take: messages.take, clear: messages.clear }
}

const roughSize = ({ data }: Recorded<Accepted>): number => {
  if ('body' in data) return ENVELOPE_BYTES + (data.body?.length ?? 0)
  const { content } = data
  return ENVELOPE_BYTES + (content === null ? 0 : content.html.length + content.subject.length + (content.text?.length ?? 0))
}

/** For a process that admits messages and does not send them. */
export const noRecentMessages: RecentMessages = { put: () => undefined, take: () => undefined, clear: () => undefined }
