import { MessageParams, MessageRecord } from '@tidings/contracts'
import { type App, refusal } from '@tidings/http'
import { messageStatusById, toMessageStatus } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'

const schema = {
  operationId: 'messages.get',
  summary: 'Read the status of a message',
  tags: ['messages'],
  params: MessageParams,
  response: { 200: MessageRecord },
}

const config = { dashboard: { role: 'member' }, onReplicas: 'together', refusals: ['message_not_found'] } as const

export function getMessage(app: App, { db }: Dependencies): void {
  const find = messageStatusById(db)
  app.get('/public/messages/:id', { schema, config }, async ({ tenant, params }) => {
    const row = await find(tenant.workspaceId, params.id)
    if (row === undefined) throw refusal('message_not_found')
    return toMessageStatus(row)
  })
}
