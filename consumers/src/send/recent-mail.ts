import type { Recorded } from '@tidings/codec'
import type { EmailAccepted } from '@tidings/domain'
import { LRUCache } from 'lru-cache'

/**
 * A cache of recently accepted mail, between the consumer and the worker of the same process: the mail is not read and decrypted again.
 * Holds only messages that this process is the first to see, and each for one `take`: a second attempt must read the stream, where a
 * crash or another worker may have left an outcome.
 */
export type RecentMail = Readonly<{
  put: (accepted: Recorded<EmailAccepted>) => void
  take: (messageId: string) => Recorded<EmailAccepted> | undefined
  /** After a fault of the database another process may have seen the messages. */
  clear: () => void
}>

const MAX_BYTES = 16 * 1024 * 1024
const ENVELOPE_BYTES = 1_500
/** A message whose job another process has claimed is not taken here; it is dropped after this long. */
const MAX_AGE_MS = 10_000

export function createRecentMail(maxBytes = MAX_BYTES): RecentMail {
  const mail = new LRUCache<string, Recorded<EmailAccepted>>({ maxSize: maxBytes, sizeCalculation: roughSize, ttl: MAX_AGE_MS })
  return {
    put: (accepted) => {
      mail.set(accepted.data.messageId, accepted)
    },
    take: (messageId) => {
      const accepted = mail.get(messageId)
      mail.delete(messageId)
      return accepted
    },
    clear: () => mail.clear(),
  }
}

const roughSize = ({ data: { content } }: Recorded<EmailAccepted>): number =>
  ENVELOPE_BYTES + (content === null ? 0 : content.html.length + content.subject.length + (content.text?.length ?? 0))

/** For a process that admits mail and does not send it. */
export const noRecentMail: RecentMail = { put: () => undefined, take: () => undefined, clear: () => undefined }
