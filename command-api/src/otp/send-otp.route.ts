import { normalizeMobilePhone } from '@tidings/addresses'
import { appendContext, waitUntilVisible } from '@tidings/administration'
import { whenKnown } from '@tidings/async'
import { OtpSent, SendOtpBody } from '@tidings/contracts'
import { Refused, type SenderIdStatus } from '@tidings/domain'
import type { App } from '@tidings/http'
import { PASSCODE_LIFETIME_S, spokenLanguage } from '@tidings/passcodes'
import type { Dependencies } from '../dependencies.ts'
import { approvedSmsSender } from '../messages/approved-sms-sender.ts'

const schema = {
  operationId: 'otp.send',
  summary: 'Send a one-time passcode',
  tags: ['otp'],
  body: SendOtpBody,
  response: { 200: OtpSent },
}

const config = {
  refusals: [
    'otp_phone_invalid',
    'otp_cap_reached',
    'otp_volume_cap_reached',
    'sender_id_required',
    'sender_id_not_approved',
    'otp_credits_insufficient',
    'otp_provider_failed',
  ],
} as const

/** Refusals in the order of N541: phone, cap of the number, sender, then caps, credits and provider inside `send`. */
export function sendOtp(app: App, deps: Dependencies): void {
  app.post('/otp/send', { schema, config }, async (request, reply) => {
    const { body } = request
    const context = appendContext(request, deps.now())
    const { workspaceId } = context
    const { channel = 'sms', message, senderId } = body
    const phone = normalizeMobilePhone(body.phone)
    if (phone === null) throw new Refused('otp_phone_invalid')
    await deps.passcodes.checkCap({ workspaceId, phone })
    const workspace = await deps.directory.workspace(workspaceId)
    const from = passcodeSender(workspace, senderId)
    const language = spokenLanguage(workspace.country)
    const { verificationId, segments, position } = await deps.passcodes.send({
      context,
      phone,
      channel,
      message,
      from,
      language,
      ip: request.clientAddress,
      mayStillSend: () => request.mayStillAct,
      gate: () => whenKnown(deps.directory.workspace(workspaceId), (now) => passcodeBlock(now, from)),
    })
    await waitUntilVisible(deps, reply, { position, projections: ['messages'] })
    return { verificationId, channel, expiresInSeconds: PASSCODE_LIFETIME_S, segments }
  })
}

/** The reason why a passcode that was begun may not leave any more: another request would get the same answer (M43). `from`: its sender ID. */
function passcodeBlock(
  {
    status,
    smsSenders,
  }: Readonly<{
    status: 'active' | 'suspended' | 'closed'
    smsSenders: ReadonlyMap<string, Readonly<{ senderId: string; status: SenderIdStatus }>>
  }>,
  from: string,
): Refused | null {
  if (status !== 'active') return new Refused('workspace_not_active')
  return smsSenders.get(from.toLowerCase())?.status === 'approved' ? null : new Refused('sender_id_not_approved')
}

/** The sender ID that was asked for, in its stored casing; without one the workspace's oldest that may be used (G18). Refuses as for text messages. */
export function passcodeSender(
  workspace: Readonly<{ smsSenders: ReadonlyMap<string, Readonly<{ senderId: string; status: SenderIdStatus }>> }>,
  senderId: string | undefined,
): string {
  if (senderId !== undefined) return approvedSmsSender(workspace, senderId)
  const oldest = [...workspace.smsSenders.values()].find(({ status }) => status === 'approved')
  if (oldest === undefined) throw new Refused('sender_id_required')
  return oldest.senderId
}
