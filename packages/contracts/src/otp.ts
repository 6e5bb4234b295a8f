import { type Static, Type } from '@sinclair/typebox'
import { oneOf, text } from './kinds.ts'

const { Optional } = Type

const Channel = oneOf('sms', 'voice')

/** `POST /otp/send`. An empty `senderId` passes here: it has a code of its own. */
export const SendOtpBody = Type.Object({
  phone: text(32),
  channel: Optional(Channel),
  message: Optional(text(320)),
  senderId: Optional(text(11)),
})

export const OtpSent = Type.Object({
  verificationId: Type.String({ minLength: 21, maxLength: 21 }),
  channel: Channel,
  expiresInSeconds: Type.Integer(),
  segments: Type.Integer(),
})

export const VerifyOtpBody = Type.Object({ verificationId: text(64), code: text(12) })

/** `reason` is there only where `verified` is false. */
export const OtpVerification = Type.Object({
  verified: Type.Boolean(),
  reason: Optional(oneOf('expired_or_unknown', 'code_mismatch', 'too_many_attempts')),
})
export type OtpVerification = Static<typeof OtpVerification>
