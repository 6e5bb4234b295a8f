import type { KeyRing, StreamReader } from '@tidings/codec'
import { Busy } from '@tidings/commands'
import type { OtpResult, WorkspaceId } from '@tidings/domain'
import type { Pool } from 'pg'
import { createPasscodeDigests } from './passcode-digests.ts'
import { type Cap, createSendCaps, type SendCaps, type VolumeLimits } from './send-caps.ts'
import { type IssuedPasscode, type PasscodeOrder, type SendingParts, sendPasscode } from './send-passcode.ts'
import { createSpentPasscodes } from './spent-passcodes.ts'
import { type PasscodeAttempt, verifyPasscode } from './verify-passcode.ts'

type PasscodesOptions = Omit<SendingParts, 'digests' | 'keyRing'> &
  Readonly<{ log: StreamReader }> &
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

type Limits = Readonly<{ all: number; perWorkspace: number }>

/** Runs `work` in one of the slots; throws `Busy` at once where none is free for the workspace. */
type SendSlots = <Result>(workspaceId: WorkspaceId, work: () => Promise<Result>) => Promise<Result>

/**
 * Bounds what is sent at one time. A workspace has at most as many slots as are free: alone half of them, of n that send one part of n + 1. So one that
 * begins finds a slot, however slow the sends of the others are (M43).
 */
export function createSendSlots({ all, perWorkspace }: Limits): SendSlots {
  const used = new Map<string, number>()
  let total = 0
  return async (workspaceId, work) => {
    const mine = used.get(workspaceId) ?? 0
    if (mine >= Math.min(perWorkspace, all - total)) throw new Busy('too many passcodes are on their way')
    total++
    used.set(workspaceId, mine + 1)
    try {
      return await work()
    } finally {
      total--
      const left = (used.get(workspaceId) ?? 1) - 1
      if (left > 0) used.set(workspaceId, left)
      else used.delete(workspaceId)
    }
  }
}
