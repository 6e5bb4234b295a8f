import { type FlowId, type FlowTrigger, flowProgram, flows, flowsStream, type Instruction, type WorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels } from '@tidings/read-models'
import type { Operator } from '../operator/with-operator.ts'

/** `inside`: runs of the newest version whose next step it is. `olderVersions`: runs inside of versions before it. */
type ShownFlow = Readonly<{
  trigger: FlowTrigger | null
  steps: readonly Readonly<{ step: string; does: string; inside: number }>[]
  olderVersions: number
}>

const says = (one: Instruction): string => {
  if (one.type === 'wait') return `wait ${one.minutes} minutes`
  return one.type === 'send' ? `send ${one.channel} from ${one.from}` : 'branch'
}

/** A flow by its steps, each with how many runs are before it. */
export async function flowSteps(
  { stores, provisioner }: Operator,
  { workspaceId, flowId }: Readonly<{ workspaceId: WorkspaceId; flowId: FlowId }>,
): Promise<ShownFlow> {
  const flow = (await provisioner.load(workspaceId, flows, flowsStream(workspaceId)))[flowId]
  if (flow === undefined) return { trigger: null, steps: [], olderVersions: 0 }
  const query = forWorkspace(kyselyOn<ReadModels>(stores.pool), workspaceId)
    .flowRuns()
    .where('flow_id', '=', flowId)
    .where('state', '<>', 'over')
  const rows = await query
    .select(({ fn }) => ['version', 'step', fn.countAll<string>().as('runs')])
    .groupBy(['version', 'step'])
    .execute()
  const isCurrent = ({ version }: Readonly<{ version: number }>): boolean => version === flow.version
  const runsAt = (step: number): number => Number(rows.find((one) => isCurrent(one) && one.step === step)?.runs ?? 0)
  return {
    trigger: flow.trigger,
    steps: flowProgram(flow.steps).map((one, step) => ({ step: one.path, does: says(one), inside: runsAt(step) })),
    olderVersions: rows.filter((one) => !isCurrent(one)).reduce((sum, { runs }) => sum + Number(runs), 0),
  }
}
