import { SenderAddressPage, StandardQuery } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { forWorkspace, toSenderAddressOption } from '@tidings/read-models'
import { byLabel, sliced } from '../alphabetical.ts'
import type { Dependencies } from '../dependencies.ts'
import { standardWindow } from '../window.ts'

const schema = {
  operationId: 'senderAddresses.list',
  summary: 'List the addresses that may be sent from',
  tags: ['lookups'],
  querystring: StandardQuery,
  response: { 200: SenderAddressPage },
}

const config = { dashboard: { role: 'member' } } as const

export function listSenderAddresses(app: App, { db }: Dependencies): void {
  app.get('/public/sender-addresses', { schema, config }, async ({ tenant, query }) => {
    const rows = await forWorkspace(db, tenant.workspaceId)
      .usableSenderAddresses()
      .select(['sender_addresses.email', 'sender_addresses.name'])
      .orderBy('sender_addresses.email')
      .execute()
    return sliced(rows.map(toSenderAddressOption).sort(byLabel), standardWindow(query))
  })
}
