import { specFor } from '@tidings/testing/decider-spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asMessageId, asVerificationId } from '../../src/index.ts'
import { MAX_OTP_ATTEMPTS, type OtpCommand, type OtpEvent, otp, otpResult } from '../../src/otp/otp.ts'

const { given } = specFor(otp)

const verificationId = asVerificationId('v')
const digestOf = (code: string) => code.padStart(64, '0')
const right = digestOf('a')
const wrong = digestOf('b')
const expiresAt = '2026-11-22T12:05:00.000Z'
const data = { verificationId, messageId: asMessageId('m'), channel: 'sms', phone: '+972501234567', digest: right, expiresAt } as const
const issued: OtpEvent = { type: 'OtpIssued', data }
const failed = (attempt: number): OtpEvent => ({ type: 'OtpAttemptFailed', data: { verificationId, attempt } })
const failures = (count: number) => Array.from({ length: count }, (_, n) => failed(n + 1))
const verified: OtpEvent = { type: 'OtpVerified', data: { verificationId } }
const discarded: OtpEvent = { type: 'OtpDiscarded', data: { verificationId } }
const verify = (...digests: readonly string[]): OtpCommand => ({
  type: 'VerifyOtp',
  data: { verificationId, digests, at: '2026-11-22T12:04:59.999Z' },
})

describe('a passcode', () => {
  it('is issued once', () => given().when({ type: 'IssueOtp', data }).thenEvents(issued))

  it('is used once, under any of the keys that it may have been issued under', () => {
    given(issued).when(verify(right)).thenEvents(verified)
    given(issued).when(verify(wrong, right)).thenEvents(verified)
    given(issued, verified).when(verify(right)).thenNothing()
  })

  it('is compared five times; the sixth attempt discards it, the right one too', () => {
    given(issued)
      .when(verify(wrong))
      .thenEachTime([failed(1)], [failed(2)])
    given(issued, ...failures(4))
      .when(verify(right))
      .thenEvents(verified)
    given(issued, ...failures(MAX_OTP_ATTEMPTS))
      .when(verify(right))
      .thenEvents(discarded)
    given(issued, ...failures(MAX_OTP_ATTEMPTS), discarded)
      .when(verify(right))
      .thenNothing()
  })

  it('expires, and one that is unknown is never right', () => {
    given(issued)
      .when({ type: 'VerifyOtp', data: { verificationId, digests: [right], at: expiresAt } })
      .thenNothing()
    given()
      .when(verify(right, ' '.repeat(64)))
      .thenNothing()
  })

  it('whose key is gone matches nothing', () => {
    const erased = { type: 'OtpIssued', data: { ...data, phone: null, digest: null } } as unknown as OtpEvent
    given(erased)
      .when(verify(right))
      .thenEachTime([failed(1)], [failed(2)])
  })

  it('tells each attempt what became of it', () => {
    expect(otpResult([verified])).toEqual({ verified: true })
    expect(otpResult([failed(1)])).toEqual({ verified: false, reason: 'code_mismatch' })
    expect(otpResult([discarded])).toEqual({ verified: false, reason: 'too_many_attempts' })
    expect(otpResult([])).toEqual({ verified: false, reason: 'expired_or_unknown' })
  })

  it('is right for its own digest, and for no other', () => {
    const digests = fc.stringMatching(/^[0-9a-f]{0,65}$/)
    const state = otp.evolve(otp.initialState, issued)
    fc.assert(
      fc.property(digests, (digest) => void expect(otp.decide(verify(digest), state)).toEqual(digest === right ? [verified] : [failed(1)])),
    )
  })
})
