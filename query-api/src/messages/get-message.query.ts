import { IdParams, MessageRecord } from '@tidings/contracts'
import { type App, refusal } from '@tidings/http'
import { compiledQuery } from '@tidings/postgres'
import { forWorkspace, toMessageStatus } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'

const schema = {
  operationId: 'messages.get',
  summary: 'Read the status of a message',
  tags: ['messages'],
  params: IdParams,
  response: { 200: MessageRecord },
}

export const getMessage = (app: App, { db }: Dependencies): void => {
  const find = compiledQuery(db, (workspaceId: string, id: string) =>
    forWorkspace(db, workspaceId).messages().selectAll().where('id', '=', id),
  )
  app.get('/public/messages/:id', { schema }, async ({ tenant, params }) => {
    const [row] = await find(tenant.workspaceId, params.id)
    if (row === undefined) throw refusal('message_not_found')
    return toMessageStatus(row)
  })
}
