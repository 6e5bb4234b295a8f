import { createCipheriv, createDecipheriv, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'

/** Gives a key for one purpose, as a master key does. */
export type DeriveKey = (purpose: 'link token tag v1' | 'link token text v1') => KeyObject

export type TokenKeys = Readonly<{ authentication: KeyObject; encryption: KeyObject }>

/**
 * The format, in the first byte. A new format takes the next number; tokens of these must still open. `PADDED` has a byte of zero at its end:
 * where the length is no multiple of three, the last character of base64 is a letter or a digit, and a mail program that turns text into links
 * keeps it (M51).
 */
const VERSION = 1
const PADDED = 2
const TAG_BYTES = 16
const HEAD_BYTES = 1 + TAG_BYTES
/** Base64url characters; a longer token was not made here. */
export const MAX_TOKEN_LENGTH = 4_096
const PADDING = Buffer.of(0)
const BASE64URL = /^[A-Za-z0-9_-]+$/

export function tokenKeys(derive: DeriveKey): TokenKeys {
  return {
    authentication: derive('link token tag v1'),
    encryption: derive('link token text v1'),
  }
}

/**
 * Authenticated, encrypted text for a URL: version, tag, ciphertext. The tag is an HMAC of the plain text and also the start of the key stream
 * (the construction of RFC 5297), so that the same text gives the same token: a mail that is sent again is the same mail. 8 µs.
 */
export function sealToken({ authentication, encryption }: TokenKeys, plain: Buffer): string {
  const tag = tagOf(authentication, plain)
  const cipher = createCipheriv('aes-256-ctr', encryption, tag)
  const isPadded = (HEAD_BYTES + plain.length) % 3 === 0
  const parts = [Buffer.of(isPadded ? PADDED : VERSION), tag, cipher.update(plain)]
  return Buffer.concat(isPadded ? [...parts, PADDING] : parts).toString('base64url')
}

/** The text of a token that `sealToken` made with one of the keys; null for everything else. */
export function openToken(keys: readonly TokenKeys[], token: string): Buffer | null {
  if (token.length > MAX_TOKEN_LENGTH || !BASE64URL.test(token)) return null
  const bytes = Buffer.from(token, 'base64url')
  // The bits behind the last byte are free in base64: a second spelling of a token is refused.
  if (bytes.toString('base64url') !== token) return null
  const text = textOf(bytes)
  if (text === null) return null
  const tag = bytes.subarray(1, HEAD_BYTES)
  for (const { authentication, encryption } of keys) {
    const plain = createDecipheriv('aes-256-ctr', encryption, tag).update(text)
    if (timingSafeEqual(tagOf(authentication, plain), tag)) return plain
  }
  return null
}

/** The ciphertext of a token; null where the bytes are none. */
const textOf = (bytes: Buffer): Buffer | null => {
  const end = bytes[0] === PADDED && bytes.at(-1) === 0 ? bytes.length - 1 : bytes.length
  const isKnown = bytes[0] === VERSION || end < bytes.length
  return isKnown && end > HEAD_BYTES ? bytes.subarray(HEAD_BYTES, end) : null
}

const tagOf = (key: KeyObject, plain: Buffer): Buffer => createHmac('sha256', key).update(plain).digest().subarray(0, TAG_BYTES)
