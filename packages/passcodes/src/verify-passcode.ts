import { writtenDigits } from '@tidings/addresses'
import { type AppendContext, eventId, type StreamReader } from '@tidings/codec'
import { Busy, type CommandRunner } from '@tidings/commands'
import {
  type MessageId,
  type OtpEvent,
  type OtpResult,
  otp,
  otpResult,
  otpStream,
  type VerificationId,
  type WorkspaceId,
} from '@tidings/domain'
import { isVerificationId } from './new-passcode.ts'
import type { PasscodeDigests } from './passcode-digests.ts'

/** `onSpent` gets the message of a passcode that can never be right again. */
export type VerifyingParts = Readonly<{
  commands: CommandRunner
  log: StreamReader
  digests: PasscodeDigests
  onSpent: (of: Readonly<{ workspaceId: WorkspaceId; messageId: MessageId }>) => void
}>

export type PasscodeAttempt = Readonly<{ context: AppendContext; verificationId: VerificationId; code: string }>

/**
 * One attempt, by the digits that were typed, whatever their script and what stands between them. Its event is durable before the answer is known, appended at the exact end of the passcode's stream: of attempts at once each
 * is decided on those before it, in whatever process. The same command again has the result of the first.
 */
export async function verifyPasscode(parts: VerifyingParts, { context, verificationId, code }: PasscodeAttempt): Promise<OtpResult> {
  if (!isVerificationId(verificationId)) return otpResult([])
  const { workspaceId, at } = context
  const stream = otpStream(workspaceId, verificationId)
  const digests = parts.digests.candidates(verificationId, writtenDigits(code))
  const command = { type: 'VerifyOtp', data: { verificationId, digests, at } } as const
  const executed = await parts.commands.execute({ decider: otp, stream, command, context })
  // A position without events: this command ran before.
  const isRepeated = executed.events.length === 0 && executed.position !== null
  const events = isRepeated ? await writtenBefore(parts, stream, context) : executed.events
  if (events.length > 0 && executed.state.status === 'ended') parts.onSpent({ workspaceId, messageId: executed.state.messageId })
  return otpResult(events)
}

/** What this command wrote when it ran first. */
const writtenBefore = async ({ log }: VerifyingParts, stream: string, context: AppendContext): Promise<readonly OtpEvent[]> => {
  const id = eventId(context.commandId, stream, 0)
  const found = (await log.readStream<OtpEvent>(context.workspaceId, stream)).find((event) => event.id === id)
  if (found === undefined) throw new Busy('the first result of this attempt is not known')
  return [found]
}
