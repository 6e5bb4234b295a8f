import { waitUntilVisible } from '@tidings/administration'
import { AskForSmsSenderBody, SmsSenderStatus } from '@tidings/contracts'
import {
  INSTALLATION,
  numberOfSender,
  ownerOfNumber,
  Refused,
  type SenderNumbersState,
  senderIdNamed,
  senderIds,
  senderIdsStream,
  senderNumbers,
  senderNumbersStream,
  smsSenderKey,
  type WorkspaceId,
} from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { addSender, openSenderIds } from './add-sender.ts'

const schema = {
  operationId: 'senders.askForSmsSender',
  summary: 'Ask the operator for an SMS sender ID, or once more for one that was rejected',
  tags: ['senders'],
  body: AskForSmsSenderBody,
  response: { 201: SmsSenderStatus },
}

const config = {
  access: 'session',
  dashboard: { role: 'admin' },
  refusals: ['sender_id_invalid', 'sender_id_exists', 'sender_id_reserved', 'sender_number_taken', 'sender_limit_reached'],
} as const

/** As a workspace file has it. */
const NAME = /^[A-Za-z0-9._&+-]([A-Za-z0-9 ._&+-]{0,9}[A-Za-z0-9._&+-])?$/

/** A text to a number looks like one to a sender ID of the same digits: the number of one workspace is the name of no other. */
const assertNotANumberOfOthers = (
  numbers: SenderNumbersState,
  { workspaceId, id }: Readonly<{ workspaceId: WorkspaceId; id: string }>,
): void => {
  const key = smsSenderKey(id)
  const owner = /^\d+$/.test(key) ? ownerOfNumber(numbers, `+${key}`) : undefined
  if (owner !== undefined && owner.workspaceId !== workspaceId) throw new Refused('sender_number_taken')
}

/** It is never approved here: that is the operator's word. */
export function askForSmsSender(app: App, deps: DashboardDependencies): void {
  app.post('/senders/sms', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { id } = request.body
    if (!NAME.test(id)) throw new Refused('sender_id_invalid')
    const numbers = await deps.commands.load({ decider: senderNumbers, stream: senderNumbersStream(), workspaceId: INSTALLATION })
    assertNotANumberOfOthers(numbers.state, { workspaceId, id })
    const { position, state } = await addSender(deps, request, {
      decider: senderIds,
      stream: senderIdsStream(workspaceId),
      command: { type: 'ConfigureSenderId', data: { senderId: id, status: 'pending' } },
      exists: (all) => (senderIdNamed(all, id)?.status ?? 'rejected') !== 'rejected',
      taken: 'sender_id_exists',
      count: openSenderIds,
    })
    await waitUntilVisible(deps, reply, { position, projections: ['sms_senders'] })
    reply.code(201)
    const { senderId, status } = senderIdNamed(state, id) ?? { senderId: id, status: 'pending' as const }
    return { id: senderId, status, reason: null, number: numberOfSender(numbers.state, { workspaceId, senderId }) }
  })
}
