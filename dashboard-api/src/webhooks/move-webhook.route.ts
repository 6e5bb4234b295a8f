import { appendContext, waitUntilVisible } from '@tidings/administration'
import { EndpointParams, WatchedWebhook } from '@tidings/contracts'
import { webhooks, webhooksStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { watchedWebhook } from './endpoints.ts'

const shape = { tags: ['webhooks'], params: EndpointParams, response: { 200: WatchedWebhook } }

const config = { access: 'session', dashboard: { role: 'admin' }, refusals: ['webhook_not_found'] } as const

const MOVES = [
  { verb: 'pause', type: 'PauseWebhook', summary: 'Deliver nothing to an endpoint, and drop what waits for it' },
  { verb: 'resume', type: 'ResumeWebhook', summary: 'Deliver to an endpoint what happens from now on' },
] as const

/** The answer says what was decided also where the read side is late. */
export function moveWebhook(app: App, deps: DashboardDependencies): void {
  for (const { verb, type, summary } of MOVES) {
    const schema = { ...shape, operationId: `webhooks.${verb}`, summary }
    app.post(`/webhooks/:id/${verb}`, { schema, config }, async (request, reply) => {
      const { workspaceId } = request.tenant
      const { id: endpointId } = request.params
      const { position } = await deps.commands.execute({
        decider: webhooks,
        stream: webhooksStream(workspaceId),
        command: { type, data: { endpointId } },
        context: appendContext(request, deps.now()),
      })
      await waitUntilVisible(deps, reply, { position, projections: ['webhooks'] })
      return { ...(await watchedWebhook(deps, { workspaceId, endpointId })), active: verb === 'resume' }
    })
  }
}
