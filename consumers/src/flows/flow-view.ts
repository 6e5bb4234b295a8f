import type { Recorded, StreamReader } from '@tidings/codec'
import {
  type FlowDefined,
  type FlowDefinition,
  type FlowEvent,
  type FlowId,
  type FlowTrigger,
  flowDeclarations,
  flowProgram,
  flowsStream,
  type Instruction,
  inNfc,
  sameJson,
  type WorkspaceId,
} from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import { createFollowedStates, type LogView } from '@tidings/log-views'
import { LRUCache } from 'lru-cache'

/** `since`: events after this position let contacts in, while it is neither paused nor retired. */
export type Flow = FlowDefinition &
  Readonly<{ flowId: FlowId; name: string; version: number; paused: boolean; retired: boolean; since: Position }>

/** Flows by their ids. */
type WorkspaceFlows = ReadonlyMap<string, Flow>

export type FlowView = LogView &
  Readonly<{
    /** Answers without a promise if the flows of the workspace are known. */
    find: (workspaceId: WorkspaceId, flowId: FlowId) => Flow | undefined | Promise<Flow | undefined>
    /** The flows as of this position of the log, or later. */
    at: (workspaceId: WorkspaceId, position: Position) => Promise<WorkspaceFlows>
    /** The steps of a version, null where there never was one. */
    program: (workspaceId: WorkspaceId, flowId: FlowId, version: number) => Promise<readonly Instruction[] | null>
  }>

const NONE: WorkspaceFlows = new Map()
const MAX_WORKSPACES = 2_000
/** A step has some 200 bytes; versions that have not been used lately are read from the log again. */
const MAX_PROGRAMS = 1_000

/** The flows of workspaces, from the log itself: one that was made a moment ago misses no event after it. */
export function createFlowView(log: StreamReader): FlowView {
  const types = Object.keys(flowDeclarations) as FlowEvent['type'][]
  const states = createFollowedStates<FlowEvent, WorkspaceFlows>({ log, types, initial: NONE, evolve, max: MAX_WORKSPACES })
  const programs = new LRUCache<string, readonly Instruction[]>({ max: MAX_PROGRAMS })
  const of = async (workspaceId: WorkspaceId): Promise<WorkspaceFlows> => await states.get(workspaceId, flowsStream(workspaceId))

  const definition = async (workspaceId: WorkspaceId, flowId: FlowId, version: number): Promise<FlowDefinition | null> => {
    const current = (await of(workspaceId)).get(flowId)
    if (current?.version === version) return current
    const events = await log.readStream<FlowEvent>(workspaceId, flowsStream(workspaceId))
    const isIt = (event: FlowEvent): event is Recorded<FlowDefined> =>
      event.type === 'FlowDefined' && event.data.flowId === flowId && event.data.version === version
    return events.find(isIt)?.data ?? null
  }

  return {
    ...states,
    find: (workspaceId, flowId) => {
      const known = states.get(workspaceId, flowsStream(workspaceId))
      return known instanceof Promise ? known.then((flows) => flows.get(flowId)) : known.get(flowId)
    },
    at: (workspaceId, position) => states.getAt(workspaceId, flowsStream(workspaceId), position),
    program: async (workspaceId, flowId, version) => {
      const key = `${workspaceId} ${flowId} ${version}`
      const known = programs.get(key)
      if (known !== undefined) return known
      const found = await definition(workspaceId, flowId, version)
      if (found === null) return null
      const program = flowProgram(found.steps)
      programs.set(key, program)
      return program
    },
  }
}

/** Whether the event lets its contact into the flow: not into one that was made, restored or resumed after it (D10). */
export function isEnteredBy(
  { paused, retired, since, trigger }: Flow,
  cause: Readonly<{ trigger: FlowTrigger; position: Position }>,
): boolean {
  return !paused && !retired && comparePositions(cause.position, since) > 0 && isSameTrigger(trigger, cause.trigger)
}

/** Names of events are compared in NFC: a flow from before M46 may have its own in another form. */
const isSameTrigger = (one: FlowTrigger, other: FlowTrigger): boolean =>
  sameJson(one, other) || (one.type === 'custom_event' && other.type === 'custom_event' && inNfc(one.event) === inNfc(other.event))

function evolve(state: WorkspaceFlows, { type, data, position }: Recorded<FlowEvent>): WorkspaceFlows {
  const known = state.get(data.flowId)
  if (type === 'FlowDefined') {
    const { name, version, trigger, steps } = data
    // Other steps are for those who enter from now on; another trigger is as good as another flow.
    const since = known !== undefined && isSameTrigger(known.trigger, trigger) ? known.since : position
    const { paused = false, retired = false } = known ?? {}
    return new Map(state).set(data.flowId, { flowId: data.flowId, name, version, trigger, steps, paused, retired, since })
  }
  return known === undefined ? state : new Map(state).set(data.flowId, changed(known, type, position))
}

const changed = (flow: Flow, type: Exclude<FlowEvent['type'], 'FlowDefined'>, since: Position): Flow => {
  switch (type) {
    case 'FlowPaused':
      return { ...flow, paused: true }
    case 'FlowResumed':
      return { ...flow, paused: false, since }
    case 'FlowRetired':
      return { ...flow, retired: true }
    case 'FlowRestored':
      return { ...flow, retired: false, since }
    default:
      return type satisfies never
  }
}
