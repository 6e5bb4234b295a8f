import { SubjectErased, uuidv5 } from '@tidings/codec'
import { type ContactState, type MessageCommand, message, messageStream } from '@tidings/domain'
import { flowActor, readContact } from '@tidings/flows'
import { forgetMessage, rememberMessage } from './flow-messages.ts'
import { endRun, type FlowWork, timestamp } from './flow-work.ts'
import { renderStep, type StepRendering } from './render-step.ts'
import { type DueStep, type Kind, queued, skip } from './step-moves.ts'

export type SendStep = DueStep<Kind<'send'>>

/** The message of a step: what is accepted, and to which address. */
export type StepMessage<Rendered> = Readonly<{ messageId: string; to: string; rendered: Rendered }>

/** What a channel does its own way. */
export type StepChannel<Rendered> = StepRendering<Rendered> &
  Readonly<{
    addressOf: (contact: ContactState) => string | null
    acceptance: (accepting: StepMessage<Rendered>) => Promise<MessageCommand>
  }>

/** The same run and step always have the same message: however often a worker is killed here, one is sent. */
export function messageIdOf({ place, run, step }: SendStep): string {
  return uuidv5(`message:${run.runId}:${step}`, place.workspaceId)
}

/** Accepts the message of the step as marketing; its own lane judges it and sends it (D12). */
export async function sendStep<Rendered>(work: FlowWork, due: SendStep, channel: StepChannel<Rendered>): Promise<void> {
  const contact = await readContact(work.log, due.place)
  if (contact === null) return await endRun(work, due, 'contact_gone')
  const to = channel.addressOf(contact.state)
  if (to === null) return await skip(work, due, 'no_address')
  const { templateId } = due.instruction
  const rendered = await renderStep(work, due, { contact, templateId, ...channel })
  if (rendered === 'template_gone') return await endRun(work, due, 'template_gone')
  if (rendered === 'template_render_failed') return await skip(work, due, 'template_render_failed')
  const messageId = messageIdOf(due)
  await rememberMessage(work.pool, messageId, due.place)
  try {
    await accept(work, due, await channel.acceptance({ messageId, to, rendered: rendered.content }))
  } catch (error) {
    if (!(error instanceof SubjectErased)) throw error
    await forgetMessage(work.pool, messageId)
    return await endRun(work, due, 'contact_gone')
  }
  await queued(work, due, messageId)
}

const accept = async (work: FlowWork, due: SendStep, command: MessageCommand): Promise<void> => {
  const { place, lastEventId: causationId, requestId } = due
  const { workspaceId, flowId } = place
  const messageId = messageIdOf(due)
  await work.commands.execute({
    decider: message,
    stream: messageStream(workspaceId, messageId),
    command,
    context: { commandId: messageId, workspaceId, actor: flowActor(flowId), requestId, causationId, at: timestamp(work.now()) },
    isNew: true,
  })
}
