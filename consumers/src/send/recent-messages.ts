import { createGenerations } from '@tidings/async'
import type { Recorded } from '@tidings/codec'
import type { MergedText, MessageId } from '@tidings/domain'
import type { Accepted } from './history.ts'

/**
 * A cache of recently accepted messages, between the consumer and the worker of the same process: the message is not read and decrypted again.
 * Holds only messages that this process is the first to see, and each for one `take`. What is taken is the whole stream only for the first claim
 * of its job: where any process has had the job before (`claimedBefore`), if only for an attempt that did not count, it or a crash may have left
 * an outcome, and the stream must be read.
 */
export type RecentMessages = Readonly<{
  put: (accepted: Recorded<Accepted>) => void
  take: (messageId: MessageId) => Recorded<Accepted> | undefined
  /** After a fault of the database another process may have seen the messages. */
  clear: () => void
}>

const MAX_BYTES = 16 * 1024 * 1024
/** The size of a message without its texts: 1 530 to 1 570 measured, for an email. */
const ENVELOPE_BYTES = 1_600
/**
 * A message whose job another process has claimed is not taken here: it is dropped when it is as old as this, or half of it. Clearly less than the
 * 10 s in which the inbox counts every job as taken over after a crash of Postgres, and after which what ended unrecorded is claimed again
 * (`TAKEOVER_WAIT_MS`): no message is remembered from before such a claim.
 */
const MAX_AGE_MS = 8_000

export function createRecentMessages(maxBytes = MAX_BYTES): RecentMessages {
  const messages = createGenerations<Recorded<Accepted>>({ maxBytes, ageMs: MAX_AGE_MS / 2, sizeOf: messageBytes })
  return { put: (accepted) => messages.set(accepted.data.messageId, accepted), take: messages.take, clear: messages.clear }
}

/** A text with one character beyond Latin-1 takes two bytes for each of its characters; to look for one would cost more than to count two. */
const messageBytes = ({ data }: Recorded<Accepted>): number => ENVELOPE_BYTES + 2 * lengthOfTexts(data)

const lengthOfTexts = (data: Accepted['data']): number => {
  if ('title' in data) return lengthOf(data.title) + lengthOf(data.body) + lengthOf(data.url) + lengthOf(data.icon)
  if ('body' in data) return lengthOf(data.body)
  const { content, merged } = data
  const said = merged ? lengthOf(merged.subject) + lengthOfPieces(merged.html) + lengthOfPieces(merged.text) : 0
  return content === null ? said : lengthOf(content.subject) + lengthOf(content.html) + lengthOf(content.text)
}

/** A span takes as much as some characters. */
const SPAN_LENGTH = 32
const lengthOfPieces = (pieces: MergedText | null): number =>
  pieces === null ? 0 : pieces.reduce((sum, piece) => sum + (typeof piece === 'string' ? piece.length : SPAN_LENGTH), 0)

/** The content of an erased person is null. */
const lengthOf = (text: string | null): number => text?.length ?? 0
