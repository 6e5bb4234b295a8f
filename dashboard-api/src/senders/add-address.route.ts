import { emailKey, isValidEmail, normalizeEmail } from '@tidings/addresses'
import { senderDomainNamed, waitUntilVisible } from '@tidings/administration'
import { recordIdOf, uuidv7 } from '@tidings/codec'
import { AddSenderAddressBody, SenderAddressStatus } from '@tidings/contracts'
import { ownValue, Refused, workspace, workspaceStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { addSender } from './add-sender.ts'
import { shownAddress } from './sender-addresses.ts'
import { workspaceState } from './sender-domains.ts'

const schema = {
  operationId: 'senders.addAddress',
  summary: 'Add a sender address, and ask its mailbox to confirm',
  tags: ['senders'],
  body: AddSenderAddressBody,
  response: { 201: SenderAddressStatus },
}

const config = {
  access: 'session',
  dashboard: { role: 'admin' },
  refusals: ['invalid_email', 'sender_domain_needed', 'sender_address_exists', 'sender_limit_reached'],
} as const

/** Only its mailbox says that it is verified (M14). Its id comes of the address, as in a workspace file: a record is the same wherever it was made. */
export function addSenderAddress(app: App, deps: DashboardDependencies): void {
  app.post('/senders/addresses', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const email = normalizeEmail(request.body.email)
    if (!isValidEmail(email)) throw new Refused('invalid_email')
    const domain = email.slice(email.lastIndexOf('@') + 1)
    if (senderDomainNamed(await workspaceState(deps, workspaceId), domain) === undefined) throw new Refused('sender_domain_needed')
    const addressId = recordIdOf(workspaceId, 'sender', emailKey(email))
    const confirmation = { confirmationId: uuidv7(), at: deps.now() }
    const { position } = await addSender(deps, request, {
      decider: workspace,
      stream: workspaceStream(workspaceId),
      command: {
        type: 'ConfigureSenderAddress',
        data: { addressId, email, name: request.body.name || null, status: 'pending', confirmation },
      },
      exists: ({ senderAddresses }) => ownValue(senderAddresses, addressId) !== undefined,
      taken: 'sender_address_exists',
      count: ({ senderAddresses }) => Object.keys(senderAddresses).length,
    })
    await waitUntilVisible(deps, reply, { position, projections: ['sender_addresses'] })
    reply.code(201)
    return await shownAddress(deps, { workspaceId, addressId })
  })
}
