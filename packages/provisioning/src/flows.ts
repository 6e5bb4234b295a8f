import { inOrder } from '@tidings/async'
import { recordIdOf } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import { type ConfigureFlow, type FlowDefinition, flows, flowsStream, MAX_FLOWS, StepMistake } from '@tidings/domain'
import { type CampaignReferences, campaignReferences } from './campaign-references.ts'
import type { Applying, Step } from './steps.ts'
import { flowDefinition } from './workspace-file/flow-definition.ts'
import type { WorkspaceFile } from './workspace-file/schema.ts'

type FlowOfFile = NonNullable<WorkspaceFile['flows']>[number]

/** Resolves the names in flows to ids before anything is written. Throws one sentence for a name that leads nowhere, and for another channel. */
export async function flowCommands(applying: Applying): Promise<readonly ConfigureFlow[]> {
  const { workspaceId, file, onRecord } = applying
  const { flows: wanted = [] } = file
  if (wanted.length === 0) return []
  await refuseTooMany(applying)
  const to = await campaignReferences(applying)
  return await inOrder(wanted, 1, async (flow, i) => {
    onRecord()
    const { name, retired = false } = flow
    const definition = await definitionOf(flow, to, `flows[${i}].`)
    return { type: 'ConfigureFlow', data: { flowId: recordIdOf(workspaceId, 'flow', name), name, ...definition, retired } }
  })
}

const definitionOf = async (flow: FlowOfFile, to: CampaignReferences, path: string): Promise<FlowDefinition> => {
  try {
    return await flowDefinition(flow, to, path)
  } catch (error) {
    throw error instanceof StepMistake ? new OperationFailed(error.message) : error
  }
}

/** Asked before anything is written: flows are never deleted, so those of the file come beside those that are there. */
const refuseTooMany = async ({ to, workspaceId, file }: Applying): Promise<void> => {
  const there = Object.keys(await to.load(workspaceId, flows, flowsStream(workspaceId)))
  const all = new Set([...there, ...(file.flows ?? []).map(({ name }) => recordIdOf(workspaceId, 'flow', name))])
  if (all.size > MAX_FLOWS)
    throw new OperationFailed(`flows: a workspace has at most ${MAX_FLOWS} flows, and ${there.length} are there already`)
}

export function flowSteps({ to, workspaceId }: Applying, commands: readonly ConfigureFlow[]): readonly Step[] {
  return commands.map((command) => ({
    what: command.data.name,
    run: () => to.execute(workspaceId, flows, flowsStream(workspaceId), command),
  }))
}
