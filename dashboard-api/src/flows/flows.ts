import { type FlowStatus, flowStatus } from '@tidings/administration'
import type { ListedFlow, ShownFlow } from '@tidings/contracts'
import {
  type FlowEvent,
  type FlowId,
  type FlowStep,
  flowProgram,
  flows,
  flowsStream,
  type Instruction,
  type WorkspaceId,
} from '@tidings/domain'
import { readMark } from '@tidings/projections'
import { type FlowStepCounts, forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { lastChange } from '../editing/last-change.ts'
import { type Names, namesOf } from '../names.ts'
import { onceBuilt } from '../not-built.ts'

type OfFlow = Readonly<{ workspaceId: WorkspaceId; flowId: FlowId }>
type Reading = Pick<DashboardDependencies, 'commands' | 'db' | 'log' | 'reads'>
type FlowsState = typeof flows.initialState
type FlowRecord = FlowsState[string]

/** All flows of a workspace share a stream: the record is what it says of one. */
export function editableFlow({ workspaceId, flowId }: OfFlow) {
  return {
    decider: flows,
    stream: flowsStream(workspaceId),
    recordIn: (state: FlowsState): FlowRecord | null => state[flowId] ?? null,
    changes: ({ data }: FlowEvent) => data.flowId === flowId,
    notFound: 'flow_not_found',
  } as const
}

const referenceTo = (id: string, names: Names) => ({ id, name: names.get(id) ?? null })

/** What lets a contact in, with the name of the list. */
export function triggerOf({ trigger }: Pick<FlowRecord, 'trigger'>, names: Names): ListedFlow['trigger'] {
  return {
    type: trigger.type,
    list: trigger.type === 'list_joined' ? referenceTo(trigger.listId, names) : null,
    event: trigger.type === 'custom_event' ? trigger.event : null,
  }
}

const NONE: FlowStepCounts = { inside: 0, passed: 0, left: 0 }
const NOT_SEND = { channel: null, template: null, from: null }
const NO_BRANCH = { rule: null, matched: null, otherwise: null }

const stepOf = (step: Instruction, names: Names): Omit<ShownFlow['steps'][number], keyof FlowStepCounts> => {
  switch (step.type) {
    case 'wait':
      return { path: step.path, type: 'wait', minutes: step.minutes, ...NOT_SEND, ...NO_BRANCH, next: step.next }
    case 'send': {
      const { path, channel, templateId, from, next } = step
      return { path, type: 'send', minutes: null, channel, template: referenceTo(templateId, names), from, ...NO_BRANCH, next }
    }
    case 'branch': {
      const { path, matched, otherwise } = step
      return { path, type: 'branch', minutes: null, ...NOT_SEND, rule: asObject(step.rule), next: null, matched, otherwise }
    }
    default:
      return step satisfies never
  }
}

const asObject = (rule: unknown): Record<string, unknown> | null => (typeof rule === 'object' && rule !== null ? { ...rule } : null)

const templatesIn = (steps: readonly FlowStep[]) => flowProgram(steps).flatMap((step) => (step.type === 'send' ? [step.templateId] : []))

/** How many runs are where, by the read models. */
const countsOf = async ({ db, reads }: Reading, { workspaceId, flowId }: OfFlow) => {
  const own = forWorkspace(db, workspaceId)
  const [{ state }, flow, row] = await Promise.all([
    readMark(reads, 'flow_steps'),
    own.flows().select(['inside', 'finished']).where('id', '=', flowId).executeTakeFirst(),
    onceBuilt(own.flowSteps().select(['versions', 'ends']).where('flow_id', '=', flowId).executeTakeFirst()),
  ])
  const { versions, ends } = row ?? { versions: {}, ends: {} }
  return { counts: state, inside: Number(flow?.inside ?? 0), finished: Number(flow?.finished ?? 0), versions, ends }
}

const insideOf = (steps: readonly FlowStepCounts[]): number => steps.reduce((sum, { inside }) => sum + inside, 0)

/** A flow as the log has it, with who is where in it as the read models do. */
export async function shownFlow(deps: Reading, of: OfFlow): Promise<ShownFlow> {
  const { workspaceId, flowId } = of
  const { record, etag } = await readRecord(deps, workspaceId, editableFlow(of))
  const { trigger, steps, version } = record
  const lists = trigger.type === 'list_joined' ? [trigger.listId] : []
  const [names, change, { versions, ends, ...counted }] = await Promise.all([
    namesOf(forWorkspace(deps.db, workspaceId), { templates: templatesIn(steps), lists }),
    lastChange(deps, workspaceId, editableFlow(of)),
    countsOf(deps, of),
  ])
  const older = Object.entries(versions).map(([one, counts]) => ({ version: Number(one), inside: insideOf(counts) }))
  return {
    ...{ id: flowId, name: record.name, status: flowStatus(record) satisfies FlowStatus, version, trigger: triggerOf(record, names) },
    ...counted,
    steps: flowProgram(steps).map((step, number) => ({ ...stepOf(step, names), ...(versions[version]?.[number] ?? NONE) })),
    olderVersions: older.filter((one) => one.version !== version && one.inside > 0),
    ends: Object.entries(ends)
      .map(([reason, runs]) => ({ reason, runs }))
      .toSorted((one, other) => other.runs - one.runs),
    ...{ changedAt: change?.at ?? '', changedBy: change?.by ?? '', etag },
  }
}
