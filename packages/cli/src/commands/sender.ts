import { type SmsSender, smsSenders } from '@tidings/administration'
import {
  INSTALLATION,
  type SenderIdsCommand,
  senderIds,
  senderIdsStream,
  senderNumbers,
  senderNumbersStream,
  type WorkspaceId,
} from '@tidings/domain'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { sayingWhy } from '../operator/refused.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import { listAnswer } from '../terminal/answer.ts'

type OfWorkspace = Readonly<{ workspace: string; json: boolean }>
type OfSender = OfWorkspace & Readonly<{ id: string }>

const recordsOf = async ({ stores, provisioner }: Operator, workspaceId: WorkspaceId): Promise<readonly SmsSender[]> =>
  smsSenders(stores.pool, workspaceId, await provisioner.load(INSTALLATION, senderNumbers, senderNumbersStream()))

const line = ({ id, status, reason, number }: SmsSender): string =>
  `${id}  ${status}${reason === null ? '' : `: ${reason}`}${number === undefined ? '' : `, from ${number}`}`

/** `tidings sender list`, by name. */
export function list({ workspace: slug, json }: OfWorkspace): Promise<void> {
  return withOperator(json, async (operator) => {
    const records = await recordsOf(operator, (await existingWorkspace(operator, slug)).id)
    return listAnswer(records, line, `Workspace ${slug} has no SMS sender ID.`)
  })
}

const decide = ({ workspace: slug, id, json }: OfSender, command: SenderIdsCommand): Promise<void> =>
  withOperator(json, async (operator) => {
    const { id: workspaceId } = await existingWorkspace(operator, slug)
    await sayingWhy(operator.provisioner.execute(workspaceId, senderIds, senderIdsStream(workspaceId), command), {
      sender_id_not_found: `Workspace ${slug} has no SMS sender ID ${id}: add it to the workspace file.`,
      sender_id_rejected: `${id} was rejected: it must be asked for again, with \`tidings apply\`.`,
      sender_id_not_approved: `${id} is not approved: only an approved sender ID can be deactivated.`,
    })
    await operator.settle()
    const records = await recordsOf(operator, workspaceId)
    const record = records.find((one) => one.id.toLowerCase() === id.toLowerCase())
    return { json: record, lines: record === undefined ? [] : [line(record)] }
  })

/** `tidings sender approve`. */
export function approve(options: OfSender): Promise<void> {
  return decide(options, { type: 'ApproveSenderId', data: { senderId: options.id } })
}

/** `tidings sender reject`. */
export function reject(options: OfSender & Readonly<{ reason?: string }>): Promise<void> {
  return decide(options, { type: 'RejectSenderId', data: { senderId: options.id, reason: options.reason ?? null } })
}

/** `tidings sender deactivate`. */
export function deactivate(options: OfSender): Promise<void> {
  return decide(options, { type: 'DeactivateSenderId', data: { senderId: options.id } })
}
