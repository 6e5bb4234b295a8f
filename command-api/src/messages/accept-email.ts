import type { AppendContext } from '@tidings/codec'
import type { Execution } from '@tidings/commands'
import type { SendEmailBody } from '@tidings/contracts'
import { type MessageCommand, type MessageEvent, type MessageState, message, messageStream } from '@tidings/domain'
import type { Dependencies } from '../dependencies.ts'
import { checkSender } from './check-sender.ts'
import { emailContent } from './email-content.ts'
import { fromName } from './from-name.ts'
import type { Recipient } from './resolve-recipient.ts'
import { storeContent } from './store-content.ts'

type Accepting = Readonly<{ context: AppendContext; body: SendEmailBody; recipient: Recipient }>

/** The command that accepts the email, its content stored if it needs a place of its own. Sender, template, rendering: the contract's order. */
export const acceptEmail = async (
  deps: Dependencies,
  { context, body, recipient }: Accepting,
): Promise<Execution<MessageCommand, MessageEvent, MessageState>> => {
  const { workspaceId, commandId: messageId } = context
  const { contactId } = recipient
  const sender = checkSender(await deps.directory.workspace(workspaceId), body.fromEmail)
  const email = await emailContent(deps, { workspaceId, messageId, body, recipient })
  return {
    decider: message,
    stream: messageStream(workspaceId, messageId),
    command: {
      type: 'AcceptEmail',
      data: {
        messageId,
        contactId,
        to: recipient.email,
        fromEmail: sender.email,
        fromName: fromName(body.fromName, email.fromName, sender.name),
        replyTo: body.replyTo?.trim().toLowerCase() ?? null,
        ...(await storeContent(deps, { workspaceId, contactId, content: email.content })),
        templateId: email.templateId,
        kind: 'transactional',
      },
    },
    context,
    isNew: true,
  }
}
