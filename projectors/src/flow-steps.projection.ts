import type { EnrolmentEvent, FlowDefined, FlowId, RunEnd, WorkspaceId } from '@tidings/domain'
import { defineProjection, defineTable, type Rows, row } from '@tidings/projections'
import type { FlowStepCounts, FlowStepsRow, OpenFlowRunRow } from '@tidings/read-models'

/** One row a flow, which every step of every run changes: with room on the page in place. */
const flowSteps = defineTable<FlowStepsRow>({
  name: 'flow_steps',
  columns: { workspace_id: 'uuid', flow_id: 'uuid', versions: 'jsonb', ends: 'jsonb' },
  key: ['workspace_id', 'flow_id'],
  fillfactor: 50,
})

/** By the id of the run: nothing here names a contact. */
const openFlowRuns = defineTable<OpenFlowRunRow>({
  name: 'open_flow_runs',
  columns: { workspace_id: 'uuid', run_id: 'uuid', version: 'integer', step: 'integer?' },
  key: ['workspace_id', 'run_id'],
  cachedRows: 5_000,
  fillfactor: 70,
})

type OfFlow = Readonly<{ data: Readonly<{ flowId: FlowId }>; meta: Readonly<{ workspaceId: WorkspaceId }> }>
type OfRun = OfFlow & Readonly<{ data: Readonly<{ runId: string }> }>

const NONE: FlowStepCounts = { inside: 0, passed: 0, left: 0 }

const change = (
  { data: { flowId }, meta: { workspaceId } }: OfFlow,
  rows: Rows,
  to: (row: FlowStepsRow) => Partial<FlowStepsRow>,
): void => {
  const known = rows.get(flowSteps, workspaceId, flowId) ?? { workspace_id: workspaceId, flow_id: flowId, versions: {}, ends: {} }
  rows.put(flowSteps, { ...known, ...to(known) })
}

type Counted = Readonly<{ version: number; step: number }> & Partial<FlowStepCounts>

const count = (event: OfFlow, rows: Rows, { version, step, ...more }: Counted): void =>
  change(event, rows, ({ versions }) => {
    const known = versions[version] ?? []
    const steps = Array.from({ length: Math.max(known.length, step + 1) }, (_, n) => known[n] ?? NONE)
    const { inside, passed, left } = steps[step] ?? NONE
    steps[step] = { inside: inside + (more.inside ?? 0), passed: passed + (more.passed ?? 0), left: left + (more.left ?? 0) }
    return { versions: { ...versions, [version]: steps } }
  })

/** The run is at `to` from now on; what it was at is passed. */
const moveTo = (event: OfRun, rows: Rows, to: number | null): void => {
  const run = rows.get(openFlowRuns, event.meta.workspaceId, event.data.runId)
  if (run === undefined || run.step === to) return
  const { version } = run
  if (run.step !== null) count(event, rows, { version, step: run.step, inside: -1, passed: 1 })
  if (to !== null) count(event, rows, { version, step: to, inside: 1 })
  rows.put(openFlowRuns, { ...run, step: to })
}

const takeAtOnce = (event: OfRun & Readonly<{ data: Readonly<{ step: number; next: number | null }> }>, rows: Rows): void => {
  moveTo(event, rows, event.data.step)
  moveTo(event, rows, event.data.next)
}

const leave = (event: OfRun & Readonly<{ data: Readonly<{ reason: RunEnd }> }>, rows: Rows): void => {
  const { workspaceId } = event.meta
  const { runId, reason } = event.data
  const run = rows.get(openFlowRuns, workspaceId, runId)
  if (run === undefined) return
  const { version, step } = run
  if (step !== null) count(event, rows, { version, step, inside: -1, ...(reason === 'finished' ? { passed: 1 } : { left: 1 }) })
  change(event, rows, ({ ends }) => ({ ends: { ...ends, [reason]: (ends[reason] ?? 0) + 1 } }))
  rows.delete(openFlowRuns, workspaceId, runId)
}

/** Older versions let no contact in: one without a run inside is counted no longer: a flow that is changed often keeps a short row. */
const forgetOlder = (event: OfFlow & Readonly<{ data: Readonly<{ version: number }> }>, rows: Rows): void =>
  change(event, rows, ({ versions }) => {
    const isKept = ([version, steps]: readonly [string, readonly FlowStepCounts[]]): boolean =>
      Number(version) >= event.data.version || steps.some(({ inside }) => inside > 0)
    return { versions: Object.fromEntries(Object.entries(versions).filter(isKept)) }
  })

/**
 * How many runs are at each step of a version of a flow, have passed it, and ended at it; and how all runs of the flow ended. A run is at a step from when
 * it begins it, or is due for it behind a branch, until it begins the next: while it waits, and while a message is under way.
 */
export const flowStepsProjection = defineProjection<EnrolmentEvent | FlowDefined>({
  name: 'flow_steps',
  version: 1,
  tables: [flowSteps, openFlowRuns],
  personal: [],
  // No request waits for it: a row that several events change is written once.
  isPatient: () => true,
  reads: (event) => {
    const { workspaceId } = event.meta
    const ofFlow = row(flowSteps, workspaceId, event.data.flowId)
    return event.type === 'FlowDefined' ? [ofFlow] : [ofFlow, row(openFlowRuns, workspaceId, event.data.runId)]
  },
  on: {
    FlowDefined: forgetOlder,
    ContactEnteredFlow: (event, rows) => {
      const { runId, version } = event.data
      rows.put(openFlowRuns, { workspace_id: event.meta.workspaceId, run_id: runId, version, step: 0 })
      count(event, rows, { version, step: 0, inside: 1 })
    },
    FlowWaitBegun: (event, rows) => moveTo(event, rows, event.data.step),
    FlowMessageQueued: (event, rows) => moveTo(event, rows, event.data.step),
    // The run may end by this: then it ended at the message, and not at what follows.
    FlowMessageResolved: () => undefined,
    FlowBranchTaken: takeAtOnce,
    FlowStepSkipped: takeAtOnce,
    ContactLeftFlow: leave,
  },
})
