import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Recorded, StreamReader } from '@tidings/codec'
import { type EndpointId, type WebhooksEvent, type WorkspaceId, webhooksDeclarations, webhooksStream } from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import { createFollowedStates, type LogView } from '@tidings/log-views'

/** `since`: it gets events after this position, and none while it is paused. `key` signs. */
export type Endpoint = Readonly<{
  id: EndpointId
  url: string
  wanted: ReadonlySet<string>
  active: boolean
  since: Position
  key: KeyObject
}>

/** Endpoints by their ids. */
export type WorkspaceEndpoints = ReadonlyMap<EndpointId, Endpoint>

export type EndpointView = LogView &
  Readonly<{
    /** The endpoints of a workspace as of `position` of the log, or later; without one, as of now. */
    of: (workspaceId: WorkspaceId, position?: Position) => Promise<WorkspaceEndpoints>
  }>

const NONE: WorkspaceEndpoints = new Map()
const MAX_WORKSPACES = 10_000

/** Whether the endpoint gets an event of this name at this position. */
export function wants({ active, since, wanted }: Endpoint, name: string, position: Position): boolean {
  return active && (wanted.has('*') || wanted.has(name)) && comparePositions(position, since) > 0
}

/**
 * The endpoints of workspaces, from the log itself, so that one that was made a moment ago misses nothing. Secrets are in clear in this
 * process's memory and nowhere else.
 */
export function createEndpointView(log: StreamReader): EndpointView {
  const types = Object.keys(webhooksDeclarations) as WebhooksEvent['type'][]
  const states = createFollowedStates<WebhooksEvent, WorkspaceEndpoints>({ log, types, initial: NONE, evolve, max: MAX_WORKSPACES })
  return {
    ...states,
    of: async (workspaceId, position) => {
      const stream = webhooksStream(workspaceId)
      return position === undefined ? await states.get(workspaceId, stream) : await states.getAt(workspaceId, stream, position)
    },
  }
}

function evolve(state: WorkspaceEndpoints, event: Recorded<WebhooksEvent>): WorkspaceEndpoints {
  const next = new Map(state)
  const { type, position: since } = event
  const id = event.data.endpointId
  const endpoint = state.get(id)
  if (type === 'WebhookEndpointCreated' && !event.erased) {
    const { url, events, signingSecret } = event.data
    // The key is the text of the secret, as the integrator holds it, not the bytes it stands for (G1).
    next.set(id, { id, url, wanted: new Set(events), active: true, since, key: createSecretKey(signingSecret, 'ascii') })
  } else if (type === 'WebhookEndpointDeleted') next.delete(id)
  else if (endpoint !== undefined) next.set(id, { ...endpoint, active: type === 'WebhookEndpointResumed', since })
  return next
}
