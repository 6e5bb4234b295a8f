import { createHmac, type KeyObject } from 'node:crypto'
import type { VerificationId } from '@tidings/domain'

type Derive = (purpose: 'passcode digest v1') => KeyObject
type Derivers = readonly [Derive, ...Derive[]]

/** HMAC-SHA-256 of a code with its verification id, as hex (M7): six digits alone could be found again by trying all of them. */
export type PasscodeDigests = Readonly<{
  /** What is stored: under the key in force. */
  make: (verificationId: VerificationId, code: string) => string
  /** What a stored one may be: under each key that may have been in force when the passcode was issued. */
  candidates: (verificationId: VerificationId, code: string) => readonly string[]
}>

/** `derive` is asked each time: a process may learn of a new master key while it runs. What a key gives is derived once: 14 % of an attempt. */
export function createPasscodeDigests(derive: () => Derivers): PasscodeDigests {
  const derived = new WeakMap<Derive, KeyObject>()
  const keyBy = (by: Derive): KeyObject => {
    const key = derived.get(by) ?? by('passcode digest v1')
    derived.set(by, key)
    return key
  }
  const digestBy = (by: Derive, verificationId: VerificationId, code: string): string =>
    createHmac('sha256', keyBy(by)).update(`${verificationId}:${code}`).digest('hex')
  return {
    make: (verificationId, code) => digestBy(derive()[0], verificationId, code),
    candidates: (verificationId, code) => derive().map((by) => digestBy(by, verificationId, code)),
  }
}
