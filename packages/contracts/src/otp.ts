import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { oneOf, text, verbatim } from './kinds.ts'

const { Optional } = Type

const Channel = named('OtpChannel', oneOf('sms', 'voice'), 'How a passcode reaches its person.')

const EXAMPLE_ID = 'Vt3fJ9qLx0aZs8RkWm2Yp'

const request = Type.Object({
  phone: text(32),
  channel: Optional(Channel),
  message: Optional(verbatim(320)),
  senderId: Optional(text(11)),
})

/** `POST /otp/send`. An empty `senderId` passes here: it has a code of its own. */
export const SendOtpBody = described(request, {
  name: 'SendOtpBody',
  about: 'A one-time passcode to a mobile number.',
  fields: {
    phone: 'An Israeli mobile number; blanks, hyphens, parentheses and dots are ignored, and a leading `00` is `+`.',
    channel: '`sms` unless it says `voice`, which reads the digits aloud.',
    message: 'The text, which must hold `{{code}}`; else it is `Your verification code is {{code}}`.',
    senderId: 'One of the active sender IDs of the workspace, in any case.',
  },
  example: { phone: '+972501234567', senderId: 'ACME' },
})

const sent = Type.Object({
  verificationId: Type.String({ minLength: 21, maxLength: 21 }),
  channel: Channel,
  expiresInSeconds: Type.Integer(),
  segments: Type.Integer(),
})

export const OtpSent = described(sent, {
  name: 'OtpSent',
  about: 'A passcode that was sent.',
  fields: {
    verificationId: 'What the code is verified under; an opaque text.',
    channel: 'How the passcode was sent.',
    expiresInSeconds: 'How long the code is valid: always 300 seconds.',
    segments: 'How many segments the message has.',
  },
  example: { verificationId: EXAMPLE_ID, channel: 'sms', expiresInSeconds: 300, segments: 1 },
})

export const VerifyOtpBody = described(Type.Object({ verificationId: text(64), code: text(12) }), {
  name: 'VerifyOtpBody',
  about: 'The code that somebody typed.',
  fields: { verificationId: 'The id that the send answered with.', code: 'The six digits, as they were typed.' },
  example: { verificationId: EXAMPLE_ID, code: '000000' },
})

const verification = Type.Object({
  verified: Type.Boolean(),
  reason: Optional(
    named('OtpFailure', oneOf('expired_or_unknown', 'code_mismatch', 'too_many_attempts'), 'Why a passcode was not verified.'),
  ),
})

/** `reason` is there only where `verified` is false. */
export const OtpVerification = described(verification, {
  name: 'OtpVerification',
  about: 'Whether the code was the right one. A match consumes it.',
  fields: { verified: 'Whether the code was the right one.', reason: 'Why not; only there where `verified` is false.' },
  example: { verified: false, reason: 'expired_or_unknown' },
})
export type OtpVerification = Static<typeof OtpVerification>
