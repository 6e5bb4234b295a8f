import type { Recorded } from '@tidings/codec'
import { type EndpointId, type WebhookEndpointCreated, type WebhooksEvent, type WorkspaceId, webhooksStream } from '@tidings/domain'
import { readAll, type Sources } from '../sources.ts'

/** Every endpoint that the workspace ever had. `moves`: its pauses, resumes and its end. `url` is null once the endpoint is deleted. */
export type KnownEndpoint = Readonly<{
  id: EndpointId
  url: string | null
  created: Recorded<WebhookEndpointCreated>
  moves: readonly Recorded<WebhooksEvent>[]
}>

export async function readEndpoints(sources: Sources, workspaceId: WorkspaceId): Promise<readonly KnownEndpoint[]> {
  const events = await readAll<WebhooksEvent>(sources, workspaceId, webhooksStream(workspaceId))
  return events.flatMap((created) => {
    if (created.type !== 'WebhookEndpointCreated') return []
    const id = created.data.endpointId
    const moves = events.filter((event) => event !== created && event.data.endpointId === id)
    return [{ id, url: created.erased ? null : created.data.url, created, moves }]
  })
}
