import { normalizeEmail } from '@tidings/addresses'
import { inOrder } from '@tidings/async'
import { recordIdOf } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import { type ConfigureFlow, type FlowStep, type FlowTrigger, flows, flowsStream, type Json, MAX_FLOWS } from '@tidings/domain'
import { type CampaignReferences, campaignReferences } from './campaign-references.ts'
import type { Applying, Step } from './steps.ts'
import { parseSteps, type StepOfFile } from './workspace-file/flow-steps.ts'
import type { WorkspaceFile } from './workspace-file/schema.ts'

type FlowOfFile = NonNullable<WorkspaceFile['flows']>[number]
type Naming = Readonly<{ to: CampaignReferences; path: string }>

const known = <T>(found: T | undefined, path: string, what: string): T => {
  if (found === undefined) throw new OperationFailed(`${path}: there is no ${what}, neither in the file nor in the workspace`)
  return found
}

/** Resolves the names in flows to ids before anything is written. Throws one sentence for a name that leads nowhere, and for another channel. */
export async function flowCommands(applying: Applying): Promise<readonly ConfigureFlow[]> {
  const { workspaceId, file, onRecord } = applying
  const { flows: wanted = [] } = file
  if (wanted.length === 0) return []
  await refuseTooMany(applying)
  const to = await campaignReferences(applying)
  return await inOrder(wanted, 1, async (flow, i) => {
    const path = `flows[${i}]`
    onRecord()
    return {
      type: 'ConfigureFlow',
      data: {
        flowId: recordIdOf(workspaceId, 'flow', flow.name),
        name: flow.name,
        trigger: await triggerOf(flow, { to, path: `${path}.trigger` }),
        steps: await inOrder(parseSteps(flow.steps, `${path}.steps`), 1, (step) => stepOf(step, to)),
        retired: flow.retired ?? false,
      },
    }
  })
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

const triggerOf = async ({ trigger }: FlowOfFile, { to, path }: Naming): Promise<FlowTrigger> => {
  if (trigger.type !== 'list_joined') return trigger
  return { type: 'list_joined', listId: known(await to.list(trigger.list), `${path}.list`, `list "${trigger.list}"`) }
}

const stepOf = async (step: StepOfFile, to: CampaignReferences): Promise<FlowStep> => {
  switch (step.type) {
    case 'wait':
      return { type: 'wait', minutes: step.minutes }
    case 'send':
      return await sendOf(step, to)
    case 'branch': {
      const stepsOf = (steps: readonly StepOfFile[]) => inOrder(steps, 1, (one) => stepOf(one, to))
      // The cast holds: what came out of `parseRule` is JSON.
      return { type: 'branch', rule: step.rule as Json, matched: await stepsOf(step.matched), otherwise: await stepsOf(step.otherwise) }
    }
    default:
      return step satisfies never
  }
}

const sendOf = async (step: Extract<StepOfFile, { type: 'send' }>, to: CampaignReferences): Promise<FlowStep> => {
  const { channel, template, path } = step
  const { id, channel: itsChannel } = known(await to.template(template), `${path}.template`, `template "${template}"`)
  if (itsChannel !== channel) throw new OperationFailed(`${path}.template: "${template}" is for ${itsChannel}, the step for ${channel}`)
  if (step.channel === 'push') return { type: 'send', channel: step.channel, templateId: id, from: null }
  const { from } = step
  if (step.channel === 'sms') return { type: 'send', channel: step.channel, templateId: id, from: approvedSender(from, to, path) }
  known(to.senderAddress(from), `${path}.from`, `sender address "${from}"`)
  return { type: 'send', channel: step.channel, templateId: id, from: normalizeEmail(from) }
}

/** The approved sender ID, as the workspace spells it. */
const approvedSender = (from: string, to: CampaignReferences, path: string): string => {
  const senderId = known(to.senderId(from), `${path}.from`, `SMS sender ID "${from}"`)
  if (!to.isApproved(senderId)) throw new OperationFailed(`${path}.from: the SMS sender ID "${from}" is not approved`)
  return senderId
}
