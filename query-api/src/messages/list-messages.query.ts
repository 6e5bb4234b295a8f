import { MessagePage, StandardQuery } from '@tidings/contracts'
import { type App, page } from '@tidings/http'
import { asMessageId, forWorkspace, messagesTimeline, toMessageStatus, type WorkspaceQueries } from '@tidings/read-models'
import { deepPages, FAR } from '../deep-pages.ts'
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
  const deep = deepPages()
  app.get('/public/messages', { schema }, async ({ tenant: { workspaceId }, query }) => {
    const own = forWorkspace(db, workspaceId)
    const window = standardWindow(query)
    const found = window.offset < FAR ? firstPages(own, window) : deep(messagesTimeline(db, workspaceId), 'desc', window).then(byIds(own))
    const [items, total] = await Promise.all([found, own.messageTotal()])
    return page(items.map(toMessageStatus), total, window)
  })
}

const newest = (own: WorkspaceQueries) => own.messages().selectAll().orderBy('queued_at', 'desc').orderBy('id', 'desc')

const firstPages = (own: WorkspaceQueries, { limit, offset }: ReturnType<typeof standardWindow>) =>
  newest(own).limit(limit).offset(offset).execute()

const byIds = (own: WorkspaceQueries) => async (ids: readonly string[]) =>
  ids.length === 0 ? [] : await newest(own).where('id', 'in', ids.map(asMessageId)).execute()
