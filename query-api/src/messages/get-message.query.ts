import { IdParams, MessageRecord } from '@tidings/contracts'
import { type App, refusal } from '@tidings/http'
import { forWorkspace, toMessageStatus } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'

const schema = { operationId: 'messages.get', tags: ['messages'], params: IdParams, response: { 200: MessageRecord } }

export const getMessage = (app: App, { db }: Dependencies): void => {
  app.get('/public/messages/:id', { schema }, async ({ tenant, params }) => {
    const row = await forWorkspace(db, tenant.workspaceId).messages().selectAll().where('id', '=', params.id).executeTakeFirst()
    if (row === undefined) throw refusal('message_not_found')
    return toMessageStatus(row)
  })
}
