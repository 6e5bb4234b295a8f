import { Type } from '@sinclair/typebox'
import { appendContext, waitUntilVisible } from '@tidings/administration'
import { EndpointParams } from '@tidings/contracts'
import { Refused, webhooks, webhooksStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'

const schema = {
  operationId: 'webhooks.delete',
  summary: 'Delete a webhook endpoint, its secret and what waits for it',
  tags: ['webhooks'],
  params: EndpointParams,
  response: { 204: Type.Null({ description: 'Deleted' }) },
}

const config = { dashboard: { role: 'admin' }, refusals: ['webhook_not_found'] } as const

export function deleteWebhook(app: App, deps: Dependencies): void {
  app.delete('/public/webhooks/:id', { schema, config }, async (request, reply) => {
    const context = appendContext(request, deps.now())
    const { events, position } = await deps.commands.execute({
      decider: webhooks,
      stream: webhooksStream(context.workspaceId),
      command: { type: 'DeleteWebhook', data: { endpointId: request.params.id } },
      context,
    })
    // A position without events: this command ran before, and its answer was lost.
    if (events.length === 0 && position === null) throw new Refused('webhook_not_found')
    await waitUntilVisible(deps, reply, { position, projections: ['webhooks'] })
    return reply.code(204).send(null)
  })
}
