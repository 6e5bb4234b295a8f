import { emailKey, normalizeEmail } from '@tidings/addresses'
import { type AddressRecord, addressRecord } from '@tidings/administration'
import { isoNow } from '@tidings/async/clock'
import { uuidv7 } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import { workspace, workspaceStream } from '@tidings/domain'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { sayingWhy } from '../operator/refused.ts'
import { withOperator } from '../operator/with-operator.ts'
import { listAnswer } from '../terminal/answer.ts'

type OfWorkspace = Readonly<{ workspace: string; json: boolean }>

const line = ({ email, status, reason, confirmBy, mailSent }: AddressRecord): string => {
  if (status !== 'pending') return `${email}  ${status}${reason === null ? '' : `: ${reason}`}`
  if (confirmBy === null) return `${email}  pending: not asked, because today’s mails are used up; use \`tidings sender-address resend\``
  return `${email}  pending until ${confirmBy}${mailSent ? '' : ': the mail has not left yet'}`
}

/** `tidings sender-address list`, by address. */
export function list({ workspace: slug, json }: OfWorkspace): Promise<void> {
  return withOperator(json, async (operator) => {
    const { state } = await existingWorkspace(operator, slug)
    const records = Object.values(state.senderAddresses).map(addressRecord)
    const sorted = records.toSorted((one, other) => (one.email < other.email ? -1 : 1))
    return listAnswer(sorted, line, `Workspace ${slug} has no sender address.`)
  })
}

/** `tidings sender-address resend` (M14). */
export function resend({ workspace: slug, email, json }: OfWorkspace & Readonly<{ email: string }>): Promise<void> {
  return withOperator(json, async (operator) => {
    const { id: workspaceId, state } = await existingWorkspace(operator, slug)
    const wanted = normalizeEmail(email)
    const known = Object.values(state.senderAddresses).find((address) => emailKey(address.email) === emailKey(wanted))
    if (known === undefined) throw new OperationFailed(`Workspace ${slug} has no sender address ${wanted}: add it to the workspace file.`)
    const { addressId } = known
    const command = {
      type: 'ResendSenderConfirmation',
      data: { addressId, confirmationId: uuidv7(), at: isoNow() },
    } as const
    await sayingWhy(operator.provisioner.execute(workspaceId, workspace, workspaceStream(workspaceId), command), {
      sender_address_verified: `${wanted} is verified already.`,
      sender_confirmation_capped: `${wanted} was sent three mails in a day: try again tomorrow.`,
      sender_confirmations_capped: `Workspace ${slug} has sent fifty such mails in a day: try again tomorrow.`,
    })
    await operator.settle()
    const now = (await existingWorkspace(operator, slug)).state.senderAddresses[addressId] ?? known
    return { json: addressRecord(now), lines: [`${wanted} is asked to confirm; see \`tidings sender-address list\`.`] }
  })
}
