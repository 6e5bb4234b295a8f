import type { KeyRing } from '@tidings/codec'
import type { OtpResult } from '@tidings/domain'
import type { Pool } from 'pg'
import { createPasscodeDigests } from './passcode-digests.ts'
import { type Cap, createSendCaps, type SendCaps, type VolumeLimits } from './send-caps.ts'
import { type IssuedPasscode, type PasscodeOrder, type SendingParts, sendPasscode } from './send-passcode.ts'
import { createSendSlots } from './send-slots.ts'
import { createSpentPasscodes } from './spent-passcodes.ts'
import { type PasscodeAttempt, type VerifyingParts, verifyPasscode } from './verify-passcode.ts'

type PasscodesOptions = Omit<SendingParts, 'digests' | 'keyRing'> &
  Pick<VerifyingParts, 'log'> &
  Readonly<{
    pool: Pool
    keyRing: Pick<KeyRing, 'newKeyFor' | 'claimDigest'>
    /** The keys that codes may have been issued under, the one in force first. */
    derive: Parameters<typeof createPasscodeDigests>[0]
    limits: VolumeLimits
    onRefused?: (cap: Cap) => void
  }>

/** One-time passcodes, for the routes. */
export type Passcodes = Readonly<{
  /** Refuses `otp_cap_reached` where the number had its five sends in ten minutes. */
  checkCap: SendCaps['check']
  /** Counts the send against the caps, then sends. Rejects with `Busy` where too many are on their way. */
  send: (order: PasscodeOrder) => Promise<IssuedPasscode>
  verify: (attempt: PasscodeAttempt) => Promise<OtpResult>
  close: () => Promise<void>
}>

/** Sends at once in one process. A send lasts as long as its provider takes, seconds at worst. */
const SLOTS = { all: 512, perWorkspace: 128 }

export function createPasscodes(options: PasscodesOptions): Passcodes {
  const { pool, derive, onFault } = options
  const digests = createPasscodeDigests(derive)
  const caps = createSendCaps(options)
  const inSlot = createSendSlots(SLOTS)
  const spent = createSpentPasscodes({ pool, onError: onFault })
  const sending = { ...options, digests }
  const verifying = { ...options, digests, onSpent: spent.add }
  return {
    checkCap: caps.check,
    send: (order) =>
      inSlot(order.context.workspaceId, async () => {
        await caps.take({ workspaceId: order.context.workspaceId, phone: order.phone })
        return await sendPasscode(sending, order)
      }),
    verify: (attempt) => verifyPasscode(verifying, attempt),
    close: spent.close,
  }
}
