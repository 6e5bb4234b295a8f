import { webhookTries } from '@tidings/administration'
import { EndpointParams, WebhookTryPage, WebhookTryQuery } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import { type App, invalidRequest } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { endpointInLog } from './endpoints.ts'

const schema = {
  operationId: 'webhooks.tries',
  summary: 'The last tries of an endpoint, newest first: all that failed, and some of those that did not',
  tags: ['webhooks'],
  params: EndpointParams,
  querystring: WebhookTryQuery,
  response: { 200: WebhookTryPage },
}

const config = { access: 'session', dashboard: { role: 'admin' }, refusals: ['webhook_not_found'] } as const

/** Pages by the number of the try: one that comes meanwhile moves none. */
export function listTries(app: App, deps: Pick<DashboardDependencies, 'pool' | 'commands'>): void {
  app.get('/webhooks/:id/deliveries', { schema, config }, async ({ tenant, params, query: { after, limit = 50 } }) => {
    const of = { workspaceId: tenant.workspaceId, endpointId: params.id }
    if ((await endpointInLog(deps, of)) === null) throw new Refused('webhook_not_found')
    const before = after === undefined ? undefined : numberOf(after)
    const found = await webhookTries(deps.pool, { ...of, limit: limit + 1, ...(before !== undefined && { before }) })
    const last = found.length > limit ? found[limit - 1] : undefined
    return {
      items: found.slice(0, limit).map(({ tried }) => tried),
      ...{ limit, total: null, has_more: last !== undefined },
      next_cursor: last === undefined ? null : Buffer.from(String(last.number)).toString('base64url'),
    }
  })
}

const numberOf = (cursor: string): number => {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  if (!/^\d{1,15}$/.test(text)) throw invalidRequest('after must be the next_cursor of a page')
  return Number(text)
}
