import { randomBytes, randomInt } from 'node:crypto'
import { asVerificationId, type VerificationId } from '@tidings/domain'

const DIGITS = 6
const ID_LENGTH = 21
const ID = /^[A-Za-z0-9_-]{21}$/

/** Six digits from a CSPRNG, each code as likely as any other (M7). */
export function newCode(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
}

/** 21 url-safe characters, 126 random bits (G38). */
export function newVerificationId(): VerificationId {
  return asVerificationId(randomBytes(16).toString('base64url').slice(0, ID_LENGTH))
}

/** Whether this could be one of ours. */
export function isVerificationId(text: string): boolean {
  return ID.test(text)
}
