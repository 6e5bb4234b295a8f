import { MessagePage, StandardQuery } from '@tidings/contracts'
import { type App, page } from '@tidings/http'
import { forWorkspace, toMessageStatus } from '@tidings/read-models'
import type { Dependencies } from '../dependencies.ts'
import { standardWindow } from '../window.ts'

const schema = {
  operationId: 'messages.list',
  summary: 'List messages with their status',
  tags: ['messages'],
  querystring: StandardQuery,
  response: { 200: MessagePage },
}

/** Newest first; the total is maintained beside the rows, so no page ever counts them. */
export function listMessages(app: App, { db }: Dependencies): void {
  app.get('/public/messages', { schema }, async ({ tenant, query }) => {
    const own = forWorkspace(db, tenant.workspaceId)
    const window = standardWindow(query)
    const rows = own
      .messages()
      .selectAll()
      .orderBy('queued_at', 'desc')
      .orderBy('id', 'desc')
      .limit(window.limit)
      .offset(window.offset)
      .execute()
    const [items, total] = await Promise.all([rows, own.messageTotal()])
    return page(items.map(toMessageStatus), total, window)
  })
}
