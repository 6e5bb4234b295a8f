import { Type } from '@sinclair/typebox'
import { appendContext, askedBy, waitUntilVisible } from '@tidings/administration'
import { ApiKeyParams } from '@tidings/contracts'
import { Refused, workspace, workspaceStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { keyRoute } from './key-routes.ts'

const schema = {
  operationId: 'apiKeys.delete',
  summary: 'Delete the record of a revoked key',
  tags: ['api keys'],
  params: ApiKeyParams,
  response: { 204: Type.Null({ description: 'Deleted' }) },
}

const config = { ...keyRoute, refusals: ['api_key_not_found', 'api_key_active'] } as const

export function deleteApiKey(app: App, deps: Dependencies): void {
  app.delete('/integrations/api-keys/:id', { schema, config }, async (request, reply) => {
    const context = appendContext(request, deps.now())
    const { events, position } = await deps.commands.execute({
      decider: workspace,
      stream: workspaceStream(context.workspaceId),
      command: { type: 'DeleteApiKey', data: { keyId: request.params.id, ...askedBy(request) } },
      context,
    })
    // A position without events: this command ran before, and its answer was lost.
    if (events.length === 0 && position === null) throw new Refused('api_key_not_found')
    await waitUntilVisible(deps, reply, { position, projections: ['workspaces'] })
    return reply.code(204).send(null)
  })
}
