import type { Recorded } from '@tidings/codec'
import type { EmailAccepted } from '@tidings/domain'
import { LRUCache } from 'lru-cache'

/**
 * Accepted mail on its short way from the consumer to the worker of the same process, so that it is not read and decrypted again.
 * Holds only messages that this process is the first to see, and gives each out once: whoever asks again must read the stream, where a
 * crash or another worker may have left an outcome.
 */
export type FreshMail = Readonly<{
  put: (accepted: Recorded<EmailAccepted>) => void
  take: (messageId: string) => Recorded<EmailAccepted> | undefined
  /** Forgets everything: what is believed to be fresh may not be after a fault of the database. */
  clear: () => void
}>

const MAX_BYTES = 16 * 1024 * 1024
const ENVELOPE_BYTES = 1_500
/** What another process took the job of is not asked for here; it goes after this long. */
const MAX_AGE_MS = 10_000

export function freshMail(maxBytes = MAX_BYTES): FreshMail {
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

/** Where mail is admitted and sent elsewhere. */
export const noFreshMail: FreshMail = { put: () => undefined, take: () => undefined, clear: () => undefined }
