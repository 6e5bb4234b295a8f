import { SmsSenderIdPage, StandardQuery } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { forWorkspace, toSmsSenderIdOption } from '@tidings/read-models'
import { byLabel, sliced } from '../alphabetical.ts'
import type { Dependencies } from '../dependencies.ts'
import { standardWindow } from '../window.ts'

const schema = {
  operationId: 'smsSenderIds.list',
  summary: 'List the SMS sender IDs that may be used',
  tags: ['lookups'],
  querystring: StandardQuery,
  response: { 200: SmsSenderIdPage },
}

const config = { dashboard: { role: 'member' } } as const

export function listSmsSenderIds(app: App, { db }: Dependencies): void {
  app.get('/public/sms-sender-ids', { schema, config }, async ({ tenant, query }) => {
    const rows = await forWorkspace(db, tenant.workspaceId)
      .smsSenders()
      .select('sender_id')
      .where('status', '=', 'approved')
      .orderBy('sender_id')
      .execute()
    return sliced(rows.map(toSmsSenderIdOption).sort(byLabel), standardWindow(query))
  })
}
