import { MessageParams, MessageStory } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import { explainMessage } from '@tidings/evidence'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'

const schema = {
  operationId: 'messages.explain',
  summary: 'Every fact that led to a message and its status, oldest first',
  tags: ['messages'],
  params: MessageParams,
  response: { 200: MessageStory },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['message_not_found'] } as const

/** What `tidings message why` prints (D5), from the log. */
export function explainMessageRoute(app: App, { log, pool }: Pick<DashboardDependencies, 'log' | 'pool'>): void {
  app.get('/messages/:id/why', { schema, config }, async ({ tenant, params }) => {
    const explained = await explainMessage({ log, pool }, { workspaceId: tenant.workspaceId, messageId: params.id })
    if (explained === null) throw new Refused('message_not_found')
    return { ...explained, facts: [...explained.facts] }
  })
}
