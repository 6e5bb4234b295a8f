import { type AppendContext, uuidv7 } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { type MessageCommand, message, messageStream, type OtpCommand, otp, otpStream } from '@tidings/domain'
import type { Position } from '@tidings/event-store'

type Acceptance = Readonly<{
  context: AppendContext
  sent: Extract<MessageCommand, { type: 'RecordSent' }>['data']
  issued: Extract<OtpCommand, { type: 'IssueOtp' }>['data']
}>

/**
 * Records that the provider accepted the message and that its code can be verified: both in one append where the log can, else the
 * acceptance first, since it is what is paid. Null: a receipt was faster and says that the message failed; then nothing can be verified.
 */
export async function recordAcceptance(commands: CommandRunner, { context, sent, issued }: Acceptance): Promise<Position | null> {
  const { workspaceId } = context
  const { messageId, verificationId } = issued
  // Event ids are made of command and stream: the acceptance of the message has used the request's.
  const own = { ...context, commandId: uuidv7() }
  const sending = {
    decider: message,
    stream: messageStream(workspaceId, messageId),
    command: { type: 'RecordSent', data: sent },
    context: own,
  } as const
  const issuing = {
    decider: otp,
    stream: otpStream(workspaceId, verificationId),
    command: { type: 'IssueOtp', data: issued },
    context: own,
    isNew: true,
  } as const
  if (commands.writesTogether) {
    const [first, second] = [commands.draft(sending), commands.draft(issuing)]
    const appended = first && second ? await commands.writeTogether([first, second]) : null
    if (first && second && appended?.[0] && appended[1]) {
      first.confirm(appended[0])
      return second.confirm(appended[1]).position
    }
  }
  // A receipt has moved the message, or the log writes one stream at a time.
  const { state } = await commands.execute(sending)
  if (state.status === 'failed') return null
  return (await commands.execute(issuing)).position
}
