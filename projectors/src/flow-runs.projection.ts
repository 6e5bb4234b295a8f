import type { ContactId, EnrolmentEvent, FlowId, WorkspaceId } from '@tidings/domain'
import { defineProjection, defineTable, type Rows, row } from '@tidings/projections'
import type { FlowRunRow } from '@tidings/read-models'

const flowRuns = defineTable<FlowRunRow<string>>({
  name: 'flow_runs',
  columns: {
    workspace_id: 'uuid',
    flow_id: 'uuid',
    contact_id: 'uuid',
    run_id: 'uuid',
    version: 'integer',
    step: 'integer?',
    state: 'text',
    until: 'timestamptz?',
    reason: 'text?',
    entered_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  key: ['workspace_id', 'flow_id', 'contact_id'],
  indices: [{ name: 'step', on: 'workspace_id, flow_id, state, version, step' }],
  cachedRows: 5_000,
  fillfactor: 70,
})

/** The last run of each contact in each flow. All its runs are in the log. */
export const flowRunsProjection = defineProjection<EnrolmentEvent>({
  name: 'flow_runs',
  version: 1,
  byStream: 'enrolment',
  tables: [flowRuns],
  personal: [],
  reads: ({ data: { flowId, contactId }, meta: { workspaceId } }) => [row(flowRuns, workspaceId, flowId, contactId)],
  on: {
    ContactEnteredFlow: ({ data: { flowId, contactId, runId, version }, meta: { workspaceId, at } }, rows) =>
      rows.put(flowRuns, {
        workspace_id: workspaceId,
        flow_id: flowId,
        contact_id: contactId,
        run_id: runId,
        version,
        step: 0,
        state: 'due',
        until: null,
        reason: null,
        entered_at: at,
        updated_at: at,
      }),
    FlowWaitBegun: (event, rows) => change(event, rows, { step: event.data.next, state: 'waiting', until: event.data.until }),
    FlowBranchTaken: (event, rows) => change(event, rows, { step: event.data.next, state: 'due', until: null }),
    FlowMessageQueued: (event, rows) => change(event, rows, { step: event.data.next, state: 'message_queued', until: null }),
    FlowMessageResolved: (event, rows) => change(event, rows, { step: event.data.next, state: 'due', until: null }),
    FlowStepSkipped: (event, rows) => change(event, rows, { step: event.data.next, state: 'due', until: null }),
    ContactLeftFlow: (event, rows) => change(event, rows, { state: 'over', until: null, reason: event.data.reason }),
  },
})

type EventOfRun = Readonly<{ data: { flowId: FlowId; contactId: ContactId }; meta: { workspaceId: WorkspaceId; at: string } }>

const change = ({ data, meta }: EventOfRun, rows: Rows, columns: Partial<FlowRunRow<string>>): void => {
  const known = rows.get(flowRuns, meta.workspaceId, data.flowId, data.contactId)
  if (known !== undefined) rows.put(flowRuns, { ...known, ...columns, updated_at: meta.at })
}
