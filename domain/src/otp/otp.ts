import { asMessageId, type MessageId, type VerificationId, type WorkspaceId } from '../ids.ts'
import type { Command, Decider, Event, EventDeclarations } from '../kernel.ts'
import { passcodeSubject } from '../message/message.events.ts'

// Stored for ever: change only together with an upcast.
/** `digest`: of the code, as 64 hex digits; the code itself is stored nowhere. `expiresAt`: by the server's clock. */
type OtpIssued = Event<
  'OtpIssued',
  { verificationId: VerificationId; messageId: MessageId; channel: 'sms' | 'voice'; phone: string; digest: string; expiresAt: string }
>
/** `attempt`: counted from 1. */
type OtpAttemptFailed = Event<'OtpAttemptFailed', { verificationId: VerificationId; attempt: number }>
type OtpVerified = Event<'OtpVerified', { verificationId: VerificationId }>
/** After this many attempts no code is right any more. */
type OtpDiscarded = Event<'OtpDiscarded', { verificationId: VerificationId }>
export type OtpEvent = OtpIssued | OtpAttemptFailed | OtpVerified | OtpDiscarded

export const otpDeclarations = {
  OtpIssued: { version: 1, personal: { subject: passcodeSubject, fields: ['phone', 'digest'] } },
  OtpAttemptFailed: { version: 1 },
  OtpVerified: { version: 1 },
  OtpDiscarded: { version: 1 },
} as const satisfies EventDeclarations & Record<OtpEvent['type'], unknown>

type IssueOtp = Command<'IssueOtp', OtpIssued['data']>
/** `digests`: of the code that was typed in, one for each key that codes may have been issued under. `at`: now, as ISO 8601 in UTC. */
type VerifyOtp = Command<'VerifyOtp', { verificationId: VerificationId; digests: readonly string[]; at: string }>
export type OtpCommand = IssueOtp | VerifyOtp

export type OtpState = Readonly<{
  status: 'none' | 'pending' | 'ended'
  messageId: MessageId
  digest: string
  expiresAt: string
  failed: number
}>

/** Attempts that are compared (G20). */
export const MAX_OTP_ATTEMPTS = 5

/** A verification's own stream. */
export function otpStream(workspaceId: WorkspaceId, verificationId: VerificationId): string {
  return `otp-${workspaceId}-${verificationId}`
}

const decide = (command: OtpCommand, state: OtpState): readonly OtpEvent[] => {
  switch (command.type) {
    case 'IssueOtp':
      return state.status === 'none' ? [{ type: 'OtpIssued', data: command.data }] : []
    case 'VerifyOtp':
      return verify(command.data, state)
    default:
      return command satisfies never
  }
}

const verify = ({ verificationId, digests, at }: VerifyOtp['data'], state: OtpState): readonly OtpEvent[] => {
  // Compared whatever the state is, so that the time an answer takes says nothing of it.
  const matches = isAnyEqual(digests, state.digest)
  if (state.status !== 'pending' || at >= state.expiresAt) return []
  if (state.failed >= MAX_OTP_ATTEMPTS) return [{ type: 'OtpDiscarded', data: { verificationId } }]
  if (matches) return [{ type: 'OtpVerified', data: { verificationId } }]
  return [{ type: 'OtpAttemptFailed', data: { verificationId, attempt: state.failed + 1 } }]
}

const DIGEST_LENGTH = 64
const NO_DIGEST = ' '.repeat(DIGEST_LENGTH)

/** Looks at every digit of every digest, wherever the first difference is. */
const isAnyEqual = (digests: readonly string[], expected: string): boolean => {
  let equal = 0
  for (const digest of digests) {
    let different = digest.length ^ DIGEST_LENGTH
    for (let n = 0; n < DIGEST_LENGTH; n++) different |= digest.charCodeAt(n) ^ expected.charCodeAt(n)
    equal |= different === 0 ? 1 : 0
  }
  return equal === 1
}

const evolve = (state: OtpState, event: OtpEvent): OtpState => {
  switch (event.type) {
    case 'OtpIssued':
      // Null where the passcode's key is gone: then no code is right.
      return {
        ...state,
        status: 'pending',
        messageId: event.data.messageId,
        digest: event.data.digest ?? NO_DIGEST,
        expiresAt: event.data.expiresAt,
      }
    case 'OtpAttemptFailed':
      return { ...state, failed: event.data.attempt }
    case 'OtpVerified':
    case 'OtpDiscarded':
      return { ...state, status: 'ended' }
    default:
      return event satisfies never
  }
}

/** One passcode, from its issue to its one use: attempts 1 to 5 are compared, the sixth discards it. The code is known to neither events nor state. */
export const otp: Decider<OtpCommand, OtpEvent, OtpState> = {
  decide,
  evolve,
  initialState: { status: 'none', messageId: asMessageId(''), digest: NO_DIGEST, expiresAt: '', failed: 0 },
  hot: true,
}

export type OtpResult = Readonly<
  { verified: true } | { verified: false; reason: 'expired_or_unknown' | 'code_mismatch' | 'too_many_attempts' }
>

/** The result of one attempt, by the events it wrote. */
export function otpResult([event]: readonly OtpEvent[]): OtpResult {
  if (event?.type === 'OtpVerified') return { verified: true }
  if (event?.type === 'OtpAttemptFailed') return { verified: false, reason: 'code_mismatch' }
  return { verified: false, reason: event?.type === 'OtpDiscarded' ? 'too_many_attempts' : 'expired_or_unknown' }
}
