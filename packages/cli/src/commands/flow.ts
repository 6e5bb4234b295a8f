import { type ContactRun, type FlowSummary, flowSummaries, runEvents, runStep, runsIn } from '@tidings/administration'
import { OperationFailed } from '@tidings/config'
import {
  asFlowId,
  type ContactId,
  type FlowCommand,
  type FlowId,
  type FlowTrigger,
  flowProgram,
  flows,
  flowsStream,
  type Instruction,
  type WorkspaceId,
} from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels } from '@tidings/read-models'
import { contactName, namedContact } from '../operator/existing-contact.ts'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { sayingWhy } from '../operator/refused.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import { type Answer, listAnswer } from '../terminal/answer.ts'

type OfWorkspace = Readonly<{ workspace: string; json: boolean }>
type OfFlow = OfWorkspace & Readonly<{ id: string }>

const flowsOf = ({ stores }: Operator, workspaceId: WorkspaceId): Promise<readonly FlowSummary[]> => flowSummaries(stores.pool, workspaceId)

const lineOf = ({ id, name, status, version, inside, finished }: FlowSummary): string =>
  `${id}  ${status.padEnd(7)}  version ${version}  ${inside} inside  ${finished} finished  ${name}`

const flowOf = async (operator: Operator, workspaceId: WorkspaceId, { workspace, id }: OfFlow): Promise<FlowSummary> => {
  const flow = (await flowsOf(operator, workspaceId)).find((one) => one.id === id.toLowerCase())
  if (flow === undefined) throw new OperationFailed(`Workspace ${workspace} has no flow ${id}.`)
  return flow
}

/** `tidings flow list`, oldest first. */
export function list({ workspace, json }: OfWorkspace): Promise<void> {
  return withOperator(json, async (operator) => {
    const all = await flowsOf(operator, (await existingWorkspace(operator, workspace)).id)
    return listAnswer(all, lineOf, `Workspace ${workspace} has no flow.`)
  })
}

/** `tidings flow show`: the flow by its steps, or the runs of one contact through it. */
export function show(options: OfFlow & Readonly<{ contact?: string }>): Promise<void> {
  const { workspace, contact } = options
  if (contact !== undefined) contactName(contact)
  return withOperator(options.json, async (operator): Promise<Answer> => {
    const { id: workspaceId } = await existingWorkspace(operator, workspace)
    const flow = await flowOf(operator, workspaceId, options)
    const place = { workspaceId, flowId: flow.id }
    if (contact !== undefined) {
      const { contactId } = await namedContact(operator, { workspace, id: contact })
      return await contactRuns(operator, { ...place, contactId })
    }
    const shown = await flowSteps(operator, place)
    const lines = shown.steps.map(({ step, does, inside }) => `${String(inside).padStart(7)} before  ${step}  ${does}`)
    return { json: { ...flow, ...shown }, lines: [lineOf(flow), ...lines] }
  })
}

const change = (type: 'PauseFlow' | 'ResumeFlow', means: string, options: OfFlow): Promise<void> =>
  withOperator(options.json, async (operator): Promise<Answer> => {
    const { id: workspaceId } = await existingWorkspace(operator, options.workspace)
    const command: FlowCommand = { type, data: { flowId: asFlowId(options.id.toLowerCase()) } }
    await sayingWhy(operator.provisioner.execute(workspaceId, flows, flowsStream(workspaceId), command), {
      flow_not_found: `Workspace ${options.workspace} has no flow ${options.id}.`,
    })
    await operator.settle()
    const flow = await flowOf(operator, workspaceId, options)
    return { json: flow, lines: [`Flow ${flow.name} is ${flow.status}: ${means}.`] }
  })

/** `tidings flow pause` (D11). */
export function pause(options: OfFlow): Promise<void> {
  return change('PauseFlow', 'it lets no contact in, and what comes due waits', options)
}

/** `tidings flow resume` (D11). */
export function resume(options: OfFlow): Promise<void> {
  return change('ResumeFlow', 'what came due in the last 24 hours goes on', options)
}

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
async function flowSteps(
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

type FlowContact = Readonly<{ workspaceId: WorkspaceId; flowId: FlowId; contactId: ContactId }>

/** The runs of one contact, oldest first, as the log has them. */
async function contactRuns({ stores }: Operator, of: FlowContact): Promise<Answer> {
  const { events } = await runEvents(stores.log, of)
  return listAnswer(runsIn(events, runStep), linesOf, `The contact ${of.contactId} never was inside.`)
}

const linesOf = ({ runId, version, steps }: ContactRun): string =>
  [`run ${runId} of version ${version}`, ...steps.map(({ at, says, causedBy }) => `  ${at}  ${says}  (by ${causedBy ?? 'unknown'})`)].join(
    '\n',
  )
