import { SenderAddressPage, StandardQuery } from '@tidings/contracts'
import { type App, page } from '@tidings/http'
import { forWorkspace, toSenderAddressOption } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'
import { standardWindow } from '../window.ts'

const schema = {
  operationId: 'senderAddresses.list',
  summary: 'List the addresses that may be sent from',
  tags: ['lookups'],
  querystring: StandardQuery,
  response: { 200: SenderAddressPage },
}

/** Alphabetical by label, whatever its case (decisions.md G9). A workspace has few senders: read in full, then sliced, as the contract says. */
const byLabel = new Intl.Collator('en', { sensitivity: 'base' })

export const listSenderAddresses = (app: App, { db }: Dependencies): void => {
  app.get('/public/sender-addresses', { schema }, async ({ tenant, query }) => {
    const window = standardWindow(query)
    const rows = await forWorkspace(db, tenant.workspaceId)
      .usableSenderAddresses()
      .select(['sender_addresses.email', 'sender_addresses.name'])
      .orderBy('sender_addresses.email')
      .execute()
    const options = rows.map(toSenderAddressOption).sort((a, b) => byLabel.compare(a.label, b.label))
    return page(options.slice(window.offset, window.offset + window.limit), options.length, window)
  })
}
