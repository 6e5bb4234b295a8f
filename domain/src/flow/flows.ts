import { type Command, type Decider, Refused } from '../kernel.ts'
import { ownValue, sameJson } from '../values.ts'
import type { FlowDefined, FlowDefinition, FlowEvent } from './flow.events.ts'

/** Makes the flow be as described, in a new version where its trigger or its steps differ. */
export type ConfigureFlow = Command<'ConfigureFlow', FlowDefinition & { flowId: string; name: string; retired: boolean }>
type ChangeFlow = Command<'PauseFlow' | 'ResumeFlow', { flowId: string }>
export type FlowCommand = ConfigureFlow | ChangeFlow

/** Flows of one workspace. They are one stream, so that one read says which of them an event enters. */
export const MAX_FLOWS = 200

type Flow = Readonly<{ name: string; version: number; paused: boolean; retired: boolean } & FlowDefinition>
/** Flows by their ids. */
type FlowsState = Readonly<Record<string, Flow>>

/** The flows of a workspace. */
export function flowsStream(workspaceId: string): string {
  return `flows-${workspaceId}`
}

const decide = (command: FlowCommand, state: FlowsState): readonly FlowEvent[] => {
  const { flowId } = command.data
  const known = ownValue(state, flowId)
  if (command.type === 'ConfigureFlow') return configure(command.data, known, Object.keys(state).length)
  if (known === undefined) throw new Refused('flow_not_found')
  const isPause = command.type === 'PauseFlow'
  return known.paused === isPause ? [] : [{ type: isPause ? 'FlowPaused' : 'FlowResumed', data: { flowId } }]
}

const configure = (wanted: ConfigureFlow['data'], known: Flow | undefined, flows: number): readonly FlowEvent[] => {
  if (known === undefined && flows >= MAX_FLOWS) throw new Refused('flow_limit_reached')
  const { flowId, name, trigger, steps, retired } = wanted
  const isSame = known !== undefined && sameJson(known.trigger, trigger) && sameJson(known.steps, steps)
  const defined: FlowDefined = { type: 'FlowDefined', data: { flowId, name, version: (known?.version ?? 0) + 1, trigger, steps } }
  const isRetired = known?.retired ?? false
  return [
    ...(isSame ? [] : [defined]),
    ...(retired === isRetired ? [] : ([{ type: retired ? 'FlowRetired' : 'FlowRestored', data: { flowId } }] as const)),
  ]
}

const evolve = (state: FlowsState, event: FlowEvent): FlowsState => {
  const { flowId } = event.data
  const known = ownValue(state, flowId)
  if (event.type === 'FlowDefined') {
    const { name, version, trigger, steps } = event.data
    return { ...state, [flowId]: { name, version, trigger, steps, paused: known?.paused ?? false, retired: known?.retired ?? false } }
  }
  return known === undefined ? state : { ...state, [flowId]: changed(known, event.type) }
}

const changed = (flow: Flow, type: Exclude<FlowEvent['type'], 'FlowDefined'>): Flow => {
  switch (type) {
    case 'FlowPaused':
      return { ...flow, paused: true }
    case 'FlowResumed':
      return { ...flow, paused: false }
    case 'FlowRetired':
      return { ...flow, retired: true }
    case 'FlowRestored':
      return { ...flow, retired: false }
    default:
      return type satisfies never
  }
}

/** The flows of a workspace as data: what lets a contact in, and the steps that follow (M10, M38). */
export const flows: Decider<FlowCommand, FlowEvent, FlowsState> = { decide, evolve, initialState: {} }
