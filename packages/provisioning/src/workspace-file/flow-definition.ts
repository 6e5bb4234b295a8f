import { normalizeEmail } from '@tidings/addresses'
import { inOrder } from '@tidings/async'
import {
  type FlowDefinition,
  type FlowStep,
  type FlowTrigger,
  type Json,
  type ListId,
  parseSteps,
  StepMistake,
  type TemplateId,
  type WrittenStep,
} from '@tidings/domain'
import { ruleOfFile } from './rule-of-file.ts'

/** A flow as people write it: names in a workspace file, ids elsewhere. */
type WrittenFlow = Readonly<{
  trigger: Exclude<FlowTrigger, { type: 'list_joined' }> | Readonly<{ type: 'list_joined'; list: string }>
  steps: readonly unknown[]
}>

/** What a flow can name. Undefined for what is not there; `where` ends the sentence that says so. */
export type FlowReferences = Readonly<{
  where: string
  list: (written: string) => Promise<ListId | undefined>
  template: (written: string) => Promise<Readonly<{ id: TemplateId; channel: string }> | undefined>
  senderAddress: (email: string) => string | undefined
  senderId: (name: string) => string | undefined
  /** Whether the sender ID may be used. */
  isApproved: (name: string) => boolean
}>

/** Every process that runs flows keeps them in memory, and a workspace has many. */
const MAX_JSON_BYTES = 65_536

/** The flow by ids. Throws `StepMistake` or `RuleMistake` with one sentence for what no flow can be, for what is not there, and for another channel. */
export async function flowDefinition({ trigger, steps }: WrittenFlow, to: FlowReferences, path = ''): Promise<FlowDefinition> {
  const written = parseSteps(steps, `${path}steps`, ruleOfFile)
  const definition = {
    trigger: await triggerOf(trigger, to, `${path}trigger`),
    steps: await inOrder(written, 1, (step) => stepOf(step, to)),
  }
  if (Buffer.byteLength(JSON.stringify(definition)) > MAX_JSON_BYTES)
    throw new StepMistake(
      `${path}steps must have at most ${MAX_JSON_BYTES} bytes of JSON together: a long list of values can be a list of its own`,
    )
  return definition
}

const known = <T>(found: T | undefined, path: string, what: string): T => {
  if (found === undefined) throw new StepMistake(`${path}: there is no ${what}`)
  return found
}

const triggerOf = async (trigger: WrittenFlow['trigger'], to: FlowReferences, path: string): Promise<FlowTrigger> => {
  if (trigger.type !== 'list_joined') return trigger
  return { type: 'list_joined', listId: known(await to.list(trigger.list), `${path}.list`, `list "${trigger.list}"${to.where}`) }
}

const stepOf = async (step: WrittenStep, to: FlowReferences): Promise<FlowStep> => {
  switch (step.type) {
    case 'wait':
      return { type: 'wait', minutes: step.minutes }
    case 'send':
      return await sendOf(step, to)
    case 'branch': {
      const stepsOf = (steps: readonly WrittenStep[]) => inOrder(steps, 1, (one) => stepOf(one, to))
      // The cast holds: what came out of `parseRule` is JSON.
      return { type: 'branch', rule: step.rule as Json, matched: await stepsOf(step.matched), otherwise: await stepsOf(step.otherwise) }
    }
    default:
      return step satisfies never
  }
}

const sendOf = async (step: Extract<WrittenStep, { type: 'send' }>, to: FlowReferences): Promise<FlowStep> => {
  const { channel, template, path } = step
  const { id, channel: itsChannel } = known(await to.template(template), `${path}.template`, `template "${template}"${to.where}`)
  if (itsChannel !== channel) throw new StepMistake(`${path}.template: "${template}" is for ${itsChannel}, the step for ${channel}`)
  if (step.channel === 'push') return { type: 'send', channel: step.channel, templateId: id, from: null }
  const { from } = step
  if (step.channel === 'sms') return { type: 'send', channel: step.channel, templateId: id, from: approvedSender(from, to, path) }
  known(to.senderAddress(from), `${path}.from`, `sender address "${from}"${to.where}`)
  return { type: 'send', channel: step.channel, templateId: id, from: normalizeEmail(from) }
}

/** The approved sender ID, as the workspace spells it. */
const approvedSender = (from: string, to: FlowReferences, path: string): string => {
  const senderId = known(to.senderId(from), `${path}.from`, `SMS sender ID "${from}"${to.where}`)
  if (!to.isApproved(senderId)) throw new StepMistake(`${path}.from: the SMS sender ID "${from}" is not approved`)
  return senderId
}
