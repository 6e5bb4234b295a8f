import { type AppendContext, type KeyRing, uuidv7 } from '@tidings/codec'
import { Busy, type CommandRunner } from '@tidings/commands'
import {
  asMessageId,
  type FailureReason,
  type MessageCommand,
  message,
  messageStream,
  passcodeSubject,
  Refused,
  type VerificationId,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { DeliveryError } from '@tidings/providers'
import type { Wallets } from '@tidings/wallet'
import { type DeliveringParts, deliverPasscode, type Fencing, type OutgoingPasscode } from './deliver-passcode.ts'
import { newCode, newVerificationId } from './new-passcode.ts'
import type { PasscodeDigests } from './passcode-digests.ts'
import { passcodeText } from './passcode-text.ts'
import { recordAcceptance } from './record-acceptance.ts'

/** `onFault` gets what went wrong beside a send that is answered all the same. */
export type SendingParts = DeliveringParts &
  Readonly<{
    commands: CommandRunner
    wallets: Pick<Wallets, 'hold' | 'settle' | 'release'>
    keyRing: Pick<KeyRing, 'newKeyFor'>
    digests: PasscodeDigests
    /** The server's clock, as ISO 8601 in UTC. */
    now: () => string
    onFault: (error: unknown) => void
  }>

/**
 * `from`: an approved sender ID. `message`: the caller's template. `ip`: of the caller.
 */
export type PasscodeOrder = Fencing &
  Readonly<{
    context: AppendContext
    phone: string
    channel: 'sms' | 'voice'
    message: string | undefined
    from: string
    language: string
    ip: string
  }>

/** `position`: from where on the message is shown as sent. */
export type IssuedPasscode = Readonly<{ verificationId: VerificationId; segments: number; position: Position }>

/** How long a code is right after its issue. */
export const PASSCODE_LIFETIME_S = 300

/**
 * Sends one passcode: hold → acceptance → provider → outcome with the issued passcode → settle. Refuses `otp_credits_insufficient`, with
 * nothing written, and `otp_provider_failed` and what its gate refuses with, which cost nothing. Where this process dies, or the log is away, in between, the hold stays:
 * the sweep of the wallets ends it by what the log says of the message. Every run has ids of its own, so a repetition sends anew.
 */
export async function sendPasscode(parts: SendingParts, order: PasscodeOrder): Promise<IssuedPasscode> {
  const passcode = draftPasscode(order)
  const hold = await holdCredits(parts, passcode)
  await acceptMessage(parts, order, passcode)
  const outcome = await sendAndRecord(parts, order, passcode)
  const isRefused = outcome instanceof Refused
  // The log says whether the message is sent: should the end of the hold fail here, the sweep ends it the same way.
  await parts.wallets[isRefused ? 'release' : 'settle'](hold).catch(parts.onFault)
  if (isRefused) throw outcome
  return { verificationId: passcode.verificationId, segments: passcode.text.segments, position: outcome }
}

type DraftedPasscode = OutgoingPasscode & Readonly<{ verificationId: VerificationId }>

const draftPasscode = ({ context, phone, channel, message, from, language }: PasscodeOrder): DraftedPasscode => {
  const code = newCode()
  return {
    workspaceId: context.workspaceId,
    messageId: asMessageId(uuidv7()),
    verificationId: newVerificationId(),
    channel,
    to: phone,
    from,
    text: passcodeText({ message, channel, code }),
    code,
    language,
  }
}

type Hold = Parameters<Wallets['settle']>[0]

/** The message has one attempt: its id names the holder too. */
const holdCredits = async ({ wallets }: SendingParts, { workspaceId, messageId, text }: DraftedPasscode): Promise<Hold> => {
  const holds = await wallets.hold({ workspaceId, holder: messageId, messages: [{ messageId, amount: text.credits }] })
  const held = holds.get(messageId)
  if (held === 'busy') throw new Busy('the wallet has too many open holds')
  if (held !== 'held') throw new Refused('otp_credits_insufficient')
  return { workspaceId, holds: [{ messageId, holder: messageId }] }
}

const acceptMessage = async (
  { commands, keyRing }: SendingParts,
  { context, ip }: PasscodeOrder,
  passcode: DraftedPasscode,
): Promise<void> => {
  const { workspaceId, messageId, verificationId, channel, to, from } = passcode
  const { credits, segments } = passcode.text
  await keyRing.newKeyFor(workspaceId, passcodeSubject({ messageId }))
  await commands.execute({
    decider: message,
    stream: messageStream(workspaceId, messageId),
    command: { type: 'AcceptPasscode', data: { messageId, channel, verificationId, to, from, credits, segments, ip } },
    context,
    isNew: true,
  })
}

/** The lifetime begins when the provider has accepted. */
const issuedOf = ({ digests }: SendingParts, at: string, passcode: DraftedPasscode) => {
  const { verificationId, messageId, channel, to, code } = passcode
  const expiresAt = new Date(Date.parse(at) + PASSCODE_LIFETIME_S * 1_000).toISOString()
  return { verificationId, messageId, channel, phone: to, digest: digests.make(verificationId, code), expiresAt }
}

/** The provider's call and its outcome in the log; what the caller is refused with where that is a failure. */
const sendAndRecord = async (parts: SendingParts, order: PasscodeOrder, passcode: DraftedPasscode): Promise<Position | Refused> => {
  try {
    const sent = await deliverPasscode(parts, passcode, order)
    const context = { ...order.context, at: parts.now() }
    const recorded = await recordAcceptance(parts.commands, { context, sent, issued: issuedOf(parts, context.at, passcode) })
    return recorded ?? new Refused('otp_provider_failed')
  } catch (error) {
    const [reason, refused] = failureOf(error)
    await recordFailure(parts, order, { passcode, reason })
    return refused
  }
}

const REASONS: Readonly<Record<DeliveryError['failure'], FailureReason>> = {
  recipient: 'invalid_address',
  refused: 'provider_rejected',
  temporary: 'provider_unavailable',
  // It may arrive: it cannot be verified, and costs nothing.
  unconfirmed: 'provider_unavailable',
  outage: 'provider_unavailable',
}

/** Why the message has failed, and what its caller is refused with. Throws what is no failure. */
const failureOf = (error: unknown): readonly [FailureReason, Refused] => {
  if (error instanceof DeliveryError) return [REASONS[error.failure], new Refused('otp_provider_failed')]
  if (!(error instanceof Refused)) throw error
  return [error.code === 'sender_id_not_approved' ? error.code : 'undeliverable', error]
}

type Failure = Readonly<{ passcode: DraftedPasscode; reason: FailureReason }>

/** Drops the provider's words: they may repeat the text, and with it the code (M7). */
const recordFailure = async ({ commands, now }: SendingParts, { context }: PasscodeOrder, { passcode, reason }: Failure): Promise<void> => {
  const command: MessageCommand = { type: 'RecordFailed', data: { reason, detail: null } }
  const stream = messageStream(passcode.workspaceId, passcode.messageId)
  await commands.execute({ decider: message, stream, command, context: { ...context, commandId: uuidv7(), at: now() } })
}
