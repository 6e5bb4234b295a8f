import { placeContent } from '@tidings/codec'
import { contactSubject, type MessageCommand, renderEmail, singleLine, workspace, workspaceStream } from '@tidings/domain'
import type { FlowWork } from './flow-work.ts'
import { messageIdOf, type SendStep, type StepMessage, sendStep } from './send-step.ts'

type RenderedEmail = ReturnType<typeof renderEmail>

export async function sendEmailStep(work: FlowWork, due: SendStep): Promise<void> {
  const { workspaceId, contactId } = due.place
  await sendStep(work, due, {
    addressOf: ({ email }) => email,
    links: { unsubscribeUrl: () => work.links.unsubscribeUrl({ workspaceId, contactId, messageId: messageIdOf(due) }) },
    render: renderEmail,
    acceptance: (accepting) => acceptance(work, due, accepting),
  })
}

const acceptance = async (
  work: FlowWork,
  { place, instruction }: SendStep,
  { messageId, to, rendered }: StepMessage<RenderedEmail>,
): Promise<MessageCommand> => {
  const { workspaceId, contactId } = place
  const { templateId, from: fromEmail } = instruction
  const { fromName, ...content } = rendered
  const placed = await placeContent(work.content, { workspaceId, subject: contactSubject({ contactId }), content })
  const sender = { fromEmail, fromName: fromName ?? (await nameOf(work, workspaceId, fromEmail)), replyTo: null }
  return { type: 'AcceptEmail', data: { messageId, contactId, to, ...sender, ...placed, templateId, kind: 'marketing' } }
}

/** The name that the workspace gave the address. */
const nameOf = async ({ commands }: FlowWork, workspaceId: string, from: string): Promise<string | null> => {
  const { state } = await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  const name = Object.values(state.senderAddresses).find(({ email }) => email === from)?.name
  return name ? singleLine(name).trim() || null : null
}
