import { createSecretKey, type KeyObject } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventLog, Recorded } from '@tidings/codec'
import type { LogFollower } from '@tidings/commands'
import { type WebhooksEvent, webhooksDeclarations, webhooksStream } from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import { LRUCache } from 'lru-cache'

/** What is delivered where. `since`: it gets what happened after this; while it is paused, nothing. `key` signs. */
export type Endpoint = Readonly<{ id: string; url: string; wanted: ReadonlySet<string>; active: boolean; since: Position; key: KeyObject }>

/** By their ids. */
export type WorkspaceEndpoints = ReadonlyMap<string, Endpoint>

export type Endpoints = Readonly<{
  /** The endpoints of a workspace as of `position` of the log, or later; without one, as of now. */
  of: (workspaceId: string, position?: Position) => Promise<WorkspaceEndpoints>
}>

type Entry = Readonly<{ state: WorkspaceEndpoints; revision: number }>

const NONE: Entry = { state: new Map(), revision: -1 }
const MAX_WORKSPACES = 10_000
/** How long the follower may take to pass an event that a consumer has already: both hear of it in the same moment. */
const PATIENCE_MS = 100

/** True where the endpoint is to be told of something of this name that happened at this place. */
export const wants = ({ active, since, wanted }: Endpoint, name: string, position: Position): boolean =>
  active && (wanted.has('*') || wanted.has(name)) && comparePositions(position, since) > 0

/**
 * The endpoints of workspaces, from the log itself, so that one that was made a moment ago misses nothing. Secrets are in this process's
 * memory and nowhere else in clear. Make it before the follower starts.
 */
export function endpointsFromLog({ log, follower }: Readonly<{ log: EventLog; follower: LogFollower }>): Endpoints {
  const known = new LRUCache<string, Entry>({ max: MAX_WORKSPACES })
  /** Streams being read, with the newest revision heard meanwhile. */
  const reading = new Map<string, number>()

  const heard = (event: Recorded): void => {
    const { stream, revision } = event
    if (reading.has(stream)) reading.set(stream, revision)
    const entry = known.get(stream) ?? (revision === 0 ? NONE : undefined)
    if (entry === undefined || revision <= entry.revision) return
    // The types that were asked for get their type back.
    if (revision === entry.revision + 1) known.set(stream, { state: evolve(entry.state, event as Recorded<WebhooksEvent>), revision })
    else known.delete(stream)
  }
  follower.listen({ types: Object.keys(webhooksDeclarations), heard })

  const read = async (workspaceId: string): Promise<WorkspaceEndpoints> => {
    const stream = webhooksStream(workspaceId)
    reading.set(stream, -1)
    try {
      const events = await log.readStream<WebhooksEvent>(stream)
      const entry = { state: events.reduce<WorkspaceEndpoints>(evolve, NONE.state), revision: events.at(-1)?.revision ?? -1 }
      if ((reading.get(stream) ?? -1) <= entry.revision) known.set(stream, entry)
      return entry.state
    } finally {
      reading.delete(stream)
    }
  }

  const hasPassed = (position: Position): boolean => {
    const at = follower.position()
    return at !== null && comparePositions(at, position) >= 0
  }

  const passed = async (position: Position): Promise<boolean> => {
    for (const until = performance.now() + PATIENCE_MS; !hasPassed(position); ) {
      if (performance.now() > until) return false
      await sleep(1)
    }
    return true
  }

  return {
    of: async (workspaceId, position) => {
      const isCurrent = position === undefined ? follower.isFresh() : await passed(position)
      return (isCurrent ? known.get(webhooksStream(workspaceId))?.state : undefined) ?? (await read(workspaceId))
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
