import { createSecretKey, type KeyObject } from 'node:crypto'
import type { EventLog, Recorded } from '@tidings/codec'
import type { LogFollower } from '@tidings/commands'
import { type WebhooksEvent, webhooksDeclarations, webhooksStream } from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import { followedStates } from '../directories/followed-states.ts'

/** What is delivered where. `since`: it gets what happened after this; while it is paused, nothing. `key` signs. */
export type Endpoint = Readonly<{ id: string; url: string; wanted: ReadonlySet<string>; active: boolean; since: Position; key: KeyObject }>

/** By their ids. */
export type WorkspaceEndpoints = ReadonlyMap<string, Endpoint>

export type Endpoints = Readonly<{
  /** The endpoints of a workspace as of `position` of the log, or later; without one, as of now. */
  of: (workspaceId: string, position?: Position) => Promise<WorkspaceEndpoints>
}>

const NONE: WorkspaceEndpoints = new Map()
const MAX_WORKSPACES = 10_000

/** True where the endpoint is to be told of something of this name that happened at this place. */
export const wants = ({ active, since, wanted }: Endpoint, name: string, position: Position): boolean =>
  active && (wanted.has('*') || wanted.has(name)) && comparePositions(position, since) > 0

/**
 * The endpoints of workspaces, from the log itself, so that one that was made a moment ago misses nothing; see `followedStates` for how
 * fresh that is. Secrets are in this process's memory and nowhere else in clear. Make it before the follower starts.
 */
export function endpointsFromLog({ log, follower }: Readonly<{ log: EventLog; follower: LogFollower }>): Endpoints {
  const types = Object.keys(webhooksDeclarations) as WebhooksEvent['type'][]
  const states = followedStates<WebhooksEvent, WorkspaceEndpoints>({ log, follower, types, initial: NONE, evolve, max: MAX_WORKSPACES })
  return {
    of: async (workspaceId, position) => {
      const stream = webhooksStream(workspaceId)
      return position === undefined ? await states.get(workspaceId, stream) : await states.at(workspaceId, stream, position)
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
    // The key is the text of the secret, as the integrator holds it, not the bytes it stands for (decisions.md G1).
    next.set(id, { id, url, wanted: new Set(events), active: true, since, key: createSecretKey(signingSecret, 'ascii') })
  } else if (type === 'WebhookEndpointDeleted') next.delete(id)
  else if (endpoint !== undefined) next.set(id, { ...endpoint, active: type === 'WebhookEndpointResumed', since })
  return next
}
