import { FoundMessage, MessageParams } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import type { App } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { onceBuilt } from '../not-built.ts'
import { foundMessages } from './found-message.ts'

const schema = {
  operationId: 'messages.getRecord',
  summary: 'What became of a message, whose it is, and what sent it',
  tags: ['messages'],
  params: MessageParams,
  response: { 200: FoundMessage },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['message_not_found'] } as const

export function getMessageRecord(app: App, { db }: Pick<DashboardDependencies, 'db'>): void {
  app.get('/messages/:id/record', { schema, config }, async ({ tenant, params }) => {
    const own = forWorkspace(db, tenant.workspaceId)
    const rows = await own.messages().selectAll().where('id', '=', params.id).execute()
    const [found] = await onceBuilt(foundMessages(own, rows))
    if (found === undefined) throw new Refused('message_not_found')
    return found
  })
}
