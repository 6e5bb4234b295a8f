import { type OutcomeCounts, webhookEndpoints, webhookOutcomes } from '@tidings/administration'
import type { WatchedWebhook } from '@tidings/contracts'
import { type EndpointId, Refused, type WorkspaceId, webhooks, webhooksStream } from '@tidings/domain'
import { type FoundDelivery, findDelivery } from '@tidings/evidence'
import type { DashboardDependencies } from '../dependencies.ts'

type OfEndpoint = Readonly<{ workspaceId: WorkspaceId; endpointId: EndpointId }>
type OfDelivery = OfEndpoint & Readonly<{ deliveryId: string }>

const NONE: OutcomeCounts = { delivered: 0, retrying: 0, dropped: 0 }

/** Every endpoint, newest first, with how its deliveries go. */
export async function watchedWebhooks(
  { pool }: Pick<DashboardDependencies, 'pool'>,
  workspaceId: WorkspaceId,
): Promise<readonly WatchedWebhook[]> {
  const endpoints = await webhookEndpoints(pool, workspaceId)
  // Asked second: where nothing waits any more, this has how the last one went, and a page that watches has no reason to ask again.
  const outcomes = await webhookOutcomes(pool, workspaceId)
  const of = new Map(outcomes.map((one) => [one.endpointId, one]))
  return endpoints.map((endpoint) => {
    const { lastHour = NONE, lastDay = NONE } = of.get(endpoint.id) ?? {}
    return { ...endpoint, lastHour, lastDay }
  })
}

export async function watchedWebhook(
  deps: Pick<DashboardDependencies, 'pool'>,
  { workspaceId, endpointId }: OfEndpoint,
): Promise<WatchedWebhook> {
  const found = (await watchedWebhooks(deps, workspaceId)).find(({ id }) => id === endpointId)
  if (found === undefined) throw new Refused('webhook_not_found')
  return found
}

/** The endpoint as of the log; null where there is none, or none any more. */
export async function endpointInLog({ commands }: Pick<DashboardDependencies, 'commands'>, { workspaceId, endpointId }: OfEndpoint) {
  const { state } = await commands.load({ decider: webhooks, stream: webhooksStream(workspaceId), workspaceId })
  return state.find((one) => one.endpointId === endpointId) ?? null
}

/** Refused where the endpoint has no delivery of this id that waits, or of which a try is kept. */
export async function existingDelivery(
  { log, pool }: Pick<DashboardDependencies, 'log' | 'pool'>,
  { workspaceId, endpointId, deliveryId }: OfDelivery,
): Promise<FoundDelivery> {
  const found = await findDelivery({ log, pool }, { workspaceId, deliveryId })
  if (found === null || found.endpoint.id !== endpointId) throw new Refused('webhook_delivery_not_found')
  return found
}

type ContentOf = OfDelivery & Readonly<{ found: FoundDelivery }>

/** The text that the receiver gets; null where it is kept no more. */
export async function bodyOf(
  { deliveries }: Pick<DashboardDependencies, 'deliveries'>,
  { workspaceId, deliveryId, found: { source, event } }: ContentOf,
): Promise<string | null> {
  return source === null ? null : await deliveries.bodyOf({ workspaceId, source, event, deliveryId })
}
