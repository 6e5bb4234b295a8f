import type { Json } from '../contact/contact.events.ts'
import type { FlowId, ListId, TemplateId, WorkspaceId } from '../ids.ts'
import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'
import { ownValue, sameJson } from '../values.ts'

/** What lets a contact in (M10). */
export type FlowTrigger =
  | Readonly<{ type: 'contact_created' }>
  | Readonly<{ type: 'list_joined'; listId: ListId }>
  | Readonly<{ type: 'custom_event'; event: string }>

export type FlowChannel = 'email' | 'sms' | 'push'

/** A year. */
export const MAX_WAIT_MINUTES = 525_600

/** `from`: a sender address or a sender ID; null of a push, which comes from the workspace's own site. `rule`: of the form of M9; `matched` and `otherwise` are `then` and `else` of the workspace file. */
export type FlowStep =
  | Readonly<{ type: 'wait'; minutes: number }>
  | Readonly<{ type: 'send'; channel: 'email' | 'sms'; templateId: TemplateId; from: string }>
  | Readonly<{ type: 'send'; channel: 'push'; templateId: TemplateId; from: null }>
  | Readonly<{ type: 'branch'; rule: Json; matched: readonly FlowStep[]; otherwise: readonly FlowStep[] }>

export type FlowDefinition = Readonly<{ trigger: FlowTrigger; steps: readonly FlowStep[] }>

// Stored for ever: change only together with an upcast.
/** `version` counts the definitions of a flow from 1; a contact that is inside finishes the version that it entered (M38). */
export type FlowDefined = Event<'FlowDefined', FlowDefinition & { flowId: FlowId; name: string; version: number }>
/** Lets no contact in; what comes due waits (D11). */
type FlowPaused = Event<'FlowPaused', { flowId: FlowId }>
export type FlowResumed = Event<'FlowResumed', { flowId: FlowId }>
/** Lets no contact in; contacts that are inside continue (D10). */
type FlowRetired = Event<'FlowRetired', { flowId: FlowId }>
type FlowRestored = Event<'FlowRestored', { flowId: FlowId }>

export type FlowEvent = FlowDefined | FlowPaused | FlowResumed | FlowRetired | FlowRestored

export const flowDeclarations = {
  FlowDefined: { version: 1 },
  FlowPaused: { version: 1 },
  FlowResumed: { version: 1 },
  FlowRetired: { version: 1 },
  FlowRestored: { version: 1 },
} as const satisfies EventDeclarations & Record<FlowEvent['type'], unknown>

type Numbered<Step> = Step & Readonly<{ path: string }>
type Kind<Type extends FlowStep['type']> = Extract<FlowStep, { type: Type }>

/** `path`: where the step is in the workspace file. `next`, `matched`, `otherwise`: the number of a step, null where the flow ends. */
export type Instruction =
  | Numbered<Kind<'wait'> & Readonly<{ next: number | null }>>
  | Numbered<Kind<'send'> & Readonly<{ next: number | null }>>
  | Numbered<Readonly<{ type: 'branch'; rule: Kind<'branch'>['rule']; matched: number | null; otherwise: number | null }>>

/** The steps of a version, numbered from 0 in the order in which they are written. The same steps always have the same numbers. */
export function flowProgram(steps: readonly FlowStep[]): readonly Instruction[] {
  return sequence(steps, { from: 0, after: null, path: 'steps' })
}

type StepPosition = Readonly<{ from: number; after: number | null; path: string }>

function sequence(steps: readonly FlowStep[], { from, after, path }: StepPosition): readonly Instruction[] {
  const program: Instruction[] = []
  for (const [i, step] of steps.entries()) {
    const at = from + program.length
    const next = i + 1 < steps.length ? at + sizeOf(step) : after
    program.push(...instructionsOf(step, { from: at, after: next, path: `${path}[${i}]` }))
  }
  return program
}

function instructionsOf(step: FlowStep, { from, after, path }: StepPosition): readonly Instruction[] {
  if (step.type !== 'branch') return [{ ...step, path, next: after }]
  const second = from + 1 + countSteps(step.matched)
  return [
    {
      type: 'branch',
      rule: step.rule,
      path,
      matched: step.matched.length > 0 ? from + 1 : after,
      otherwise: step.otherwise.length > 0 ? second : after,
    },
    ...sequence(step.matched, { from: from + 1, after, path: `${path}.then` }),
    ...sequence(step.otherwise, { from: second, after, path: `${path}.else` }),
  ]
}

const sizeOf = (step: FlowStep): number => (step.type === 'branch' ? 1 + countSteps(step.matched) + countSteps(step.otherwise) : 1)

/** All steps, those of branches included. */
export function countSteps(steps: readonly FlowStep[]): number {
  return steps.reduce((sum, step) => sum + sizeOf(step), 0)
}

/** Makes the flow be as described, in a new version where its trigger or its steps differ. */
export type ConfigureFlow = Command<'ConfigureFlow', FlowDefinition & { flowId: FlowId; name: string; retired: boolean }>
type ChangeFlow = Command<'PauseFlow' | 'ResumeFlow', { flowId: FlowId }>
export type FlowCommand = ConfigureFlow | ChangeFlow

/** Flows of one workspace. They are one stream, so that one read says which of them an event enters. */
export const MAX_FLOWS = 200

type Flow = Readonly<{ name: string; version: number; paused: boolean; retired: boolean } & FlowDefinition>
/** Flows by their ids. */
type FlowsState = Readonly<Record<string, Flow>>

/** The flows of a workspace. */
export function flowsStream(workspaceId: WorkspaceId): string {
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
