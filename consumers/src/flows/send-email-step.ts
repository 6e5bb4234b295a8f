import { placeContent, SubjectErased, uuidv5 } from '@tidings/codec'
import { contactSubject, message, messageStream } from '@tidings/domain'
import { flowActor, readContact } from '@tidings/flows'
import { forgetMessage, rememberMessage } from './flow-messages.ts'
import { endRun, type FlowWork, timestamp } from './flow-work.ts'
import { type RenderedEmail, renderStep } from './render-step.ts'
import { type DueStep, type Kind, queued, skip } from './step-moves.ts'

type SendStep = DueStep<Kind<'send'>>

/** The same run and step always have the same message: however often a worker is killed here, one is sent. */
const messageIdOf = ({ place, run, step }: SendStep): string => uuidv5(`message:${run.runId}:${step}`, place.workspaceId)

/** Accepts the message of the step as marketing; its own lane judges it and sends it (D12). */
export async function sendEmailStep(work: FlowWork, due: SendStep): Promise<void> {
  const { place, instruction } = due
  const contact = await readContact(work.log, place)
  if (contact === null) return await endRun(work, due, 'contact_gone')
  const { email: to } = contact.state
  if (to === null) return await skip(work, due, 'no_address')
  const messageId = messageIdOf(due)
  const rendered = await renderStep(work, due, { contact, rendering: { messageId, ...instruction } })
  if (rendered === 'template_gone') return await endRun(work, due, 'template_gone')
  if (rendered === 'template_render_failed') return await skip(work, due, 'template_render_failed')
  await rememberMessage(work.pool, messageId, place)
  try {
    await accept(work, due, { messageId, to, rendered })
  } catch (error) {
    if (!(error instanceof SubjectErased)) throw error
    await forgetMessage(work.pool, messageId)
    return await endRun(work, due, 'contact_gone')
  }
  await queued(work, due, messageId)
}

type Accepting = Readonly<{ messageId: string; to: string; rendered: RenderedEmail }>

const accept = async (work: FlowWork, due: SendStep, { messageId, to, rendered }: Accepting): Promise<void> => {
  const { place, instruction, lastEventId: causationId, requestId } = due
  const { workspaceId, contactId, flowId } = place
  const content = await placeContent(work.content, { workspaceId, subject: contactSubject({ contactId }), content: rendered.content })
  await work.commands.execute({
    decider: message,
    stream: messageStream(workspaceId, messageId),
    command: {
      type: 'AcceptEmail',
      data: {
        messageId,
        contactId,
        to,
        fromEmail: instruction.from,
        fromName: rendered.fromName,
        replyTo: null,
        ...content,
        templateId: instruction.templateId,
        kind: 'marketing',
      },
    },
    context: { commandId: messageId, workspaceId, actor: flowActor(flowId), requestId, causationId, at: timestamp(work.now()) },
    isNew: true,
  })
}
