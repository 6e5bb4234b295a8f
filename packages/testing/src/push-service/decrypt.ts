import { createDecipheriv, createECDH, createHmac, type ECDH } from 'node:crypto'

/** What a browser keeps of a subscription: its key pair, and the authentication secret. */
export type BrowserKeys = Readonly<{ keys: ECDH; auth: Buffer }>

/** Salt, size of a record, and the sender's public key: the header of `aes128gcm` as RFC 8291 §4 uses it. */
const HEADER_BYTES = 16 + 4 + 1 + 65
const TAG_BYTES = 16

export function newBrowserKeys(auth: Buffer): BrowserKeys {
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  return { keys, auth }
}

const hmac = (key: Buffer, ...parts: readonly (Buffer | string)[]): Buffer => {
  const digest = createHmac('sha256', key)
  for (const part of parts) digest.update(part)
  return digest.digest()
}

/** The input keying material of RFC 8291 §3.4. */
export function keyingMaterial({ keys, auth }: BrowserKeys, body: Buffer): Buffer {
  const sender = body.subarray(21, HEADER_BYTES)
  const prk = hmac(auth, keys.computeSecret(sender))
  return hmac(prk, 'WebPush: info\0', keys.getPublicKey(), sender, Buffer.of(1))
}

/** The text of one encrypted push, by RFC 8291 §3.4 and RFC 8188 §2. Throws for whatever it does not authenticate, and for more than one record. */
export function decryptPush(browser: BrowserKeys, body: Buffer): Buffer {
  if (body.length <= HEADER_BYTES + TAG_BYTES || body[20] !== 65) throw new Error('the body has no header of RFC 8291')
  if (body.length - HEADER_BYTES > body.readUInt32BE(16)) throw new Error('the body has more than one record')
  const prk = hmac(body.subarray(0, 16), keyingMaterial(browser, body))
  const key = hmac(prk, 'Content-Encoding: aes128gcm\0', Buffer.of(1)).subarray(0, 16)
  const nonce = hmac(prk, 'Content-Encoding: nonce\0', Buffer.of(1)).subarray(0, 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(body.subarray(-TAG_BYTES))
  const padded = Buffer.concat([decipher.update(body.subarray(HEADER_BYTES, -TAG_BYTES)), decipher.final()])
  const end = padded.findLastIndex((byte) => byte !== 0)
  if (padded[end] !== 2) throw new Error('the last record has no delimiter')
  return padded.subarray(0, end)
}
