import type { Static } from '@sinclair/typebox'
import { isCountry } from '@tidings/addresses'
import { askedBy, waitUntilVisible } from '@tidings/administration'
import { NewWorkspaceBody, WorkspaceWithKey } from '@tidings/contracts'
import { workspaceIdOf } from '@tidings/directory'
import { asApiKeyId, Refused, workspace, workspaceStream } from '@tidings/domain'
import { type App, invalidRequest } from '@tidings/http'
import { newApiKey } from '@tidings/sign-in'
import type { FastifyRequest } from 'fastify'
import type { DashboardDependencies } from '../dependencies.ts'
import { createRecord } from '../editing/create-record.ts'

const schema = {
  operationId: 'system.createWorkspace',
  summary: 'Make a workspace; the answer shows its first API key, once',
  tags: ['system'],
  body: NewWorkspaceBody,
  response: { 201: WorkspaceWithKey },
}

const config = {
  access: 'session',
  dashboard: {
    role: 'operator',
    operates: { act: 'workspace', thing: ({ body }: FastifyRequest) => (body as Static<typeof NewWorkspaceBody>).slug },
  },
  showsSecret: true,
  refusals: ['workspace_slug_taken'],
} as const

/** Its id follows from its slug, as in a file of `apply`. The workspace and its key are made by one append. */
export function createWorkspace(app: App, deps: DashboardDependencies): void {
  app.post('/system/workspaces', { schema, config }, async (request, reply) => {
    const { slug, name, plan, country } = request.body
    if (!isCountry(country)) throw invalidRequest('country must be one of the two letters of ISO 3166, like IL')
    const workspaceId = workspaceIdOf(slug)
    request.tenant = { workspaceId, slug, keyId: request.user?.userId ?? '', status: 'active' }
    const keyId = asApiKeyId(request.commandId)
    const { key, command } = newApiKey({ keyId, name: 'API key', kind: 'secret', by: askedBy(request) })
    const { state, position } = await createRecord(deps, request, {
      decider: workspace,
      stream: workspaceStream(workspaceId),
      command: { type: 'CreateWorkspace', data: { workspaceId, slug, name, plan, country, tracking: false, firstKey: command.data } },
      exists: ({ exists }) => exists,
      taken: 'workspace_slug_taken',
    })
    // This command ran before, with another key, whose answer was lost: it cannot be shown any more (M1).
    if (state.apiKeys[keyId]?.hash !== command.data.hash) throw new Refused('idempotency_key_reused')
    await waitUntilVisible(deps, reply, { position, projections: ['workspaces'] })
    reply.code(201)
    return { id: workspaceId, slug, name, key }
  })
}
