import { randomBytes } from 'node:crypto'
import { appendContext, waitUntilVisible } from '@tidings/administration'
import { CreatedWebhookEndpoint, CreateWebhookBody } from '@tidings/contracts'
import { asEndpointId, Refused, type WorkspaceId, webhooks, webhooksStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import { Blocked, Unresolved } from '@tidings/outbound-http'
import type { Dependencies } from '../dependencies.ts'

const schema = {
  operationId: 'webhooks.create',
  summary: 'Create a webhook endpoint; the answer shows its signing secret, once',
  tags: ['webhooks'],
  body: CreateWebhookBody,
  response: { 201: CreatedWebhookEndpoint },
}

const config = { dashboard: { role: 'admin' }, showsSecret: true, refusals: ['webhook_url_blocked', 'webhook_limit_reached'] } as const

export function createWebhook(app: App, deps: Dependencies): void {
  app.post('/public/webhooks', { schema, config }, async (request, reply) => {
    const { url, events, label = null } = request.body
    const at = deps.now()
    const context = appendContext(request, at)
    const { workspaceId } = context
    const endpointId = asEndpointId(context.commandId)
    await mustBeCallable(deps, url, workspaceId)
    const created = { endpointId, url, label, events, signingSecret: randomBytes(32).toString('hex') }
    const stream = webhooksStream(workspaceId)
    const { limit } = deps.webhooks
    const executed = await deps.commands.execute({
      decider: webhooks,
      stream,
      command: { type: 'CreateWebhook', data: { ...created, limit } },
      context,
    })
    await waitUntilVisible(deps, reply, { position: executed.position, projections: ['webhooks'] })
    // Nothing appended: this command ran before, with another secret, and its answer was lost.
    const endpoint = executed.events.length > 0 ? { ...created, at } : await deps.webhooks.find(workspaceId, endpointId)
    if (endpoint === null) throw new Refused('webhook_not_found')
    reply.code(201)
    const { signingSecret } = endpoint
    return { id: endpointId, label, url, events: [...events], active: true, createdAt: endpoint.at, signingSecret }
  })
}

/** One answer for every reason, so that callers cannot probe the internal network. */
const mustBeCallable = async ({ webhooks: { guard } }: Dependencies, url: string, workspaceId: WorkspaceId): Promise<void> => {
  try {
    await guard.check(url, workspaceId)
  } catch (error) {
    if (error instanceof Blocked || error instanceof Unresolved) throw new Refused('webhook_url_blocked')
    throw error
  }
}
