import type { ContactEnteredFlow, ContactLeftFlow, FlowEvent, FlowId, WorkspaceId } from '@tidings/domain'
import { defineProjection, defineTable, type Rows, row } from '@tidings/projections'
import type { FlowRow } from '@tidings/read-models'

const flows = defineTable<FlowRow<string>>({
  name: 'flows',
  columns: {
    workspace_id: 'uuid',
    id: 'uuid',
    name: 'text',
    version: 'integer',
    paused: 'boolean',
    retired: 'boolean',
    inside: 'bigint',
    finished: 'bigint',
    created_at: 'timestamptz',
  },
  key: ['workspace_id', 'id'],
  cachedRows: 1_000,
  fillfactor: 50,
})

/** The flows as the operator lists them, with how many runs are inside and how many are over. */
export const flowsProjection = defineProjection<FlowEvent | ContactEnteredFlow | ContactLeftFlow>({
  name: 'flows',
  version: 1,
  tables: [flows],
  personal: [],
  reads: ({ data: { flowId }, meta: { workspaceId } }) => [row(flows, workspaceId, flowId)],
  on: {
    FlowDefined: ({ data: { flowId, name, version }, meta: { workspaceId, at } }, rows) => {
      const known = rows.get(flows, workspaceId, flowId)
      const counts = known ?? { paused: false, retired: false, inside: 0n, finished: 0n, created_at: at }
      rows.put(flows, { ...counts, workspace_id: workspaceId, id: flowId, name, version })
    },
    FlowPaused: (event, rows) => change(event, rows, () => ({ paused: true })),
    FlowResumed: (event, rows) => change(event, rows, () => ({ paused: false })),
    FlowRetired: (event, rows) => change(event, rows, () => ({ retired: true })),
    FlowRestored: (event, rows) => change(event, rows, () => ({ retired: false })),
    ContactEnteredFlow: (event, rows) => change(event, rows, ({ inside }) => ({ inside: inside + 1n })),
    ContactLeftFlow: (event, rows) => change(event, rows, ({ inside, finished }) => ({ inside: inside - 1n, finished: finished + 1n })),
  },
})

type EventOfFlow = Readonly<{ data: { flowId: FlowId }; meta: { workspaceId: WorkspaceId } }>

const change = ({ data, meta }: EventOfFlow, rows: Rows, columns: (known: FlowRow<string>) => Partial<FlowRow<string>>): void => {
  const known = rows.get(flows, meta.workspaceId, data.flowId)
  if (known !== undefined) rows.put(flows, { ...known, ...columns(known) })
}
