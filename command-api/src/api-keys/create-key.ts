import { appendContext, askedBy, waitUntilVisible } from '@tidings/administration'
import { type ApiKeyKind, asApiKeyId, Refused, workspace, workspaceStream } from '@tidings/domain'
import type { ApiKeyRecord } from '@tidings/read-models'
import { newApiKey } from '@tidings/sign-in'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'

/** Contract: API keys. */
export const DEFAULT_NAME = 'API key'

type Creating = Readonly<{ request: FastifyRequest; reply: FastifyReply; name: string; kind: ApiKeyKind }>

/** Creates a key and gives its record with the whole key, which is shown this once. */
export async function createKey(deps: Dependencies, creating: Creating): Promise<ApiKeyRecord & Readonly<{ key: string }>> {
  const { request, reply, name, kind } = creating
  const context = appendContext(request, deps.now())
  const { workspaceId, commandId, at } = context
  const keyId = asApiKeyId(commandId)
  const { key, command } = newApiKey({ keyId, name, kind, by: askedBy(request) })
  const stream = workspaceStream(workspaceId)
  const { state, position } = await deps.commands.execute({ decider: workspace, stream, command, context })
  // This command ran before, with another key, whose answer was lost: it cannot be shown any more (M1).
  if (state.apiKeys[keyId]?.hash !== command.data.hash) throw new Refused('idempotency_key_reused')
  await waitUntilVisible(deps, reply, { position, projections: ['workspaces'] })
  const { prefix } = command.data
  reply.code(201).header('Cache-Control', 'no-store')
  return { id: keyId, name, kind, prefix, status: 'active', lastUsedAt: null, createdAt: at, revokedAt: null, key }
}
