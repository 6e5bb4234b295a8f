import { appendContext, waitUntilVisible } from '@tidings/administration'
import { SenderAddressParams, SenderAddressStatus } from '@tidings/contracts'
import { workspace, workspaceStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { shownAddress } from './sender-addresses.ts'

const schema = {
  operationId: 'senders.askMailbox',
  summary: 'Ask the mailbox of a sender address once more to confirm, three times a day at most',
  tags: ['senders'],
  params: SenderAddressParams,
  response: { 200: SenderAddressStatus },
}

const config = {
  access: 'session',
  dashboard: { role: 'admin' },
  refusals: ['sender_address_not_found', 'sender_address_verified', 'sender_confirmation_capped', 'sender_confirmations_capped'],
} as const

/** The same press under the same `Idempotency-Key` asks once: the confirmation has the id of the command. */
export function askMailbox(app: App, deps: DashboardDependencies): void {
  app.post('/senders/addresses/:id/ask', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { id: addressId } = request.params
    const context = appendContext(request, deps.now())
    const { position } = await deps.commands.execute({
      decider: workspace,
      stream: workspaceStream(workspaceId),
      command: { type: 'ResendSenderConfirmation', data: { addressId, confirmationId: request.commandId, at: context.at } },
      context,
    })
    await waitUntilVisible(deps, reply, { position, projections: ['sender_addresses'] })
    return await shownAddress(deps, { workspaceId, addressId })
  })
}
