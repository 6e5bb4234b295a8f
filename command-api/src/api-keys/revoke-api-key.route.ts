import { appendContext, askedBy, waitUntilVisible } from '@tidings/administration'
import { ApiKey, ApiKeyParams } from '@tidings/contracts'
import { workspace, workspaceStream } from '@tidings/domain'
import { type App, unavailable } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { keyRoute } from './key-routes.ts'

const schema = {
  operationId: 'apiKeys.revoke',
  summary: 'Refuse a key from now on, in every process; repeated, it changes nothing',
  tags: ['api keys'],
  params: ApiKeyParams,
  response: { 200: ApiKey },
}

const config = { ...keyRoute, refusals: ['api_key_not_found'] } as const

/** Answers when every live process refuses the key, else says so with `X-Consistency: pending` (M2). */
export function revokeApiKey(app: App, deps: Dependencies): void {
  app.post('/integrations/api-keys/:id/revoke', { schema, config }, async (request, reply) => {
    const context = appendContext(request, deps.now())
    const { workspaceId, at } = context
    const { id: keyId } = request.params
    const { events, position } = await deps.commands.execute({
      decider: workspace,
      stream: workspaceStream(workspaceId),
      command: { type: 'RevokeApiKey', data: { keyId, ...askedBy(request) } },
      context,
    })
    await waitUntilVisible(deps, reply, { position, projections: ['workspaces'] })
    if (position !== null && !(await deps.apiKeys.takesEffect(position))) reply.header('X-Consistency', 'pending')
    const record = await deps.apiKeys.find(workspaceId, keyId)
    // It exists, but its creation cannot be read yet. The revocation stands; asked again, it answers the same.
    if (record === undefined) throw unavailable()
    return { ...record, status: 'revoked', revokedAt: record.revokedAt ?? (events.length > 0 ? at : null) } as const
  })
}
