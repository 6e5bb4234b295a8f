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

/**
 * Two generations: the older one is dropped when the younger one reaches half of the limits, so that personal data leaves an idle process too.
 * Two maps cost a tenth of an LRU cache, which was 1 % of the CPU of a message, most of it for `take`.
 */
export function createRecentMessages(maxBytes = MAX_BYTES): RecentMessages {
  let young = new Map<string, Recorded<Accepted>>()
  let old = new Map<string, Recorded<Accepted>>()
  let youngBytes = 0
  let rotation: NodeJS.Timeout | undefined

  const rotate = (): void => {
    old = young
    young = new Map()
    youngBytes = 0
    clearTimeout(rotation)
    rotation = old.size > 0 ? setTimeout(rotate, MAX_AGE_MS / 2).unref() : undefined
  }

  const take: RecentMessages['take'] = (messageId) => {
    const accepted = young.get(messageId)
    if (accepted === undefined) {
      const older = old.get(messageId)
      old.delete(messageId)
      return older
    }
    young.delete(messageId)
    youngBytes -= roughSize(accepted)
    return accepted
  }

  return {
    put: (accepted) => {
      const { messageId } = accepted.data
      const bytes = roughSize(accepted)
      take(messageId)
      if (bytes > maxBytes / 2) return
      if (youngBytes + bytes > maxBytes / 2) rotate()
      young.set(messageId, accepted)
      youngBytes += bytes
      rotation ??= setTimeout(rotate, MAX_AGE_MS / 2).unref()
    },
    take,
    clear: () => {
      young.clear()
      old.clear()
      youngBytes = 0
    },
  }
}

const roughSize = ({ data }: Recorded<Accepted>): number => {
  if ('body' in data) return ENVELOPE_BYTES + (data.body?.length ?? 0)
  const { content } = data
  return ENVELOPE_BYTES + (content === null ? 0 : content.html.length + content.subject.length + (content.text?.length ?? 0))
}

/** For a process that admits messages and does not send them. */
export const noRecentMessages: RecentMessages = { put: () => undefined, take: () => undefined, clear: () => undefined }
