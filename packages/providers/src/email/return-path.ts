import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { asMessageId, type MessageId } from '@tidings/domain'
import { toBase36, UUID_DIGITS, uuidFromBase36, uuidToBase36 } from './base36.ts'

/**
 * The envelope senders of mail, one a message (VERP): `bounces+<token>@example.com`. The token is the id of the message in 25 digits of base
 * 36 and a tag of 80 bits in 16, so that only who has seen the mail can report it as bounced. With a plus and at most 22 characters before
 * it that is the 64 octets of a local part (RFC 5321 §4.5.3.1.1).
 */
export type ReturnPaths = Readonly<{
  /** The envelope sender of a message; the same at every attempt. */
  addressOf: (messageId: MessageId) => string
  /** The message of the first of the addresses that is one of ours with its right tag, in any case; else null. The texts may hold more than an address. */
  messageIn: (texts: readonly string[]) => MessageId | null
  /** The address at which a mail unsubscribes the reader of a message (RFC 2369): of the same mailbox, with another tag. */
  unsubscribeAddressOf: (messageId: MessageId) => string
  /** The message of the first of the addresses that is one of those. */
  unsubscribedIn: (texts: readonly string[]) => MessageId | null
}>

/** `address`: as TIDINGS_RETURN_PATH has it. `derive`: the keys of the tags, the one to make new ones with first; the others open what they made. */
export type ReturnPathSettings = Readonly<{
  address: string
  derive: () => readonly [DeriveTagKey, ...DeriveTagKey[]]
}>

type Purpose = 'return path tag v1' | 'unsubscribe tag v1'
type DeriveTagKey = (purpose: Purpose) => KeyObject

const TAG_BYTES = 10
const TAG_DIGITS = 16
/** Candidates that are looked at in one mail: each costs a digest a key. */
const MAX_CANDIDATES = 20

export function createReturnPaths({ address, derive }: ReturnPathSettings): ReturnPaths {
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)]
  const ours = new RegExp(
    `(?<![A-Za-z0-9._+-])${literally(local)}\\+([0-9a-z]{${UUID_DIGITS}})([0-9a-z]{${TAG_DIGITS}})@${literally(domain)}(?![A-Za-z0-9.-])`,
    'gi',
  )
  const addressFor = (purpose: Purpose) => (messageId: MessageId) =>
    `${local}+${uuidToBase36(messageId)}${tagOf(derive()[0](purpose), messageId)}@${domain}`
  const messageFor = (purpose: Purpose) => (texts: readonly string[]) => {
    const found = texts.flatMap((text) => [...text.matchAll(ours)].slice(0, MAX_CANDIDATES)).slice(0, MAX_CANDIDATES)
    for (const [, digits = '', tag = ''] of found) {
      const uuid = uuidFromBase36(digits)
      const messageId = uuid === null ? null : asMessageId(uuid)
      if (messageId !== null && derive().some((deriveKey) => isTag(tag.toLowerCase(), tagOf(deriveKey(purpose), messageId))))
        return messageId
    }
    return null
  }
  return {
    addressOf: addressFor('return path tag v1'),
    messageIn: messageFor('return path tag v1'),
    unsubscribeAddressOf: addressFor('unsubscribe tag v1'),
    unsubscribedIn: messageFor('unsubscribe tag v1'),
  }
}

const literally = (text: string): string => text.replace(/[.+]/g, '\\$&')

const tagOf = (key: KeyObject, messageId: MessageId): string => {
  const digest = createHmac('sha256', key).update(messageId).digest()
  return toBase36(digest.subarray(0, TAG_BYTES), TAG_DIGITS)
}

const isTag = (given: string, expected: string): boolean => timingSafeEqual(Buffer.from(given), Buffer.from(expected))
