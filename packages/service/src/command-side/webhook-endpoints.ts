import type { EventLog, Recorded } from '@tidings/codec'
import type { CommandApiDependencies } from '@tidings/command-api'
import type { Config } from '@tidings/config'
import { type WebhookEndpointCreated, type WebhooksEvent, webhooksStream } from '@tidings/domain'
import { createGuard, createServerResolver, createSystemResolver, type Guard } from '@tidings/outbound-http'

/** Says which URLs may be called from here. */
export function createUrlGuard({ dns: { servers }, webhooks }: Pick<Config, 'dns' | 'webhooks'>): Guard {
  return createGuard({
    resolve: servers.length > 0 ? createServerResolver(servers) : createSystemResolver(),
    allowLocal: webhooks.allowLocal === 1,
  })
}

/** What the webhook routes need beside their aggregate. */
export function webhookDependencies(config: Pick<Config, 'dns' | 'webhooks'>, log: EventLog): CommandApiDependencies['webhooks'] {
  return {
    guard: createUrlGuard(config),
    limit: config.webhooks.endpoints,
    find: async (workspaceId, endpointId) => {
      const events = await log.readStream<WebhooksEvent>(workspaceId, webhooksStream(workspaceId))
      const isCreation = (event: Recorded<WebhooksEvent>): event is Recorded<WebhookEndpointCreated> =>
        event.type === 'WebhookEndpointCreated' && event.data.endpointId === endpointId && !event.erased
      const created = events.find(isCreation)
      return created === undefined ? null : { signingSecret: created.data.signingSecret, at: created.meta.at }
    },
  }
}
