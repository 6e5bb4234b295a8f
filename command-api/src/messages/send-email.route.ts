import { MessageAccepted, SendEmailBody } from '@tidings/contracts'
import { message, messageStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import { appendContext } from '../append-context.ts'
import type { Dependencies } from '../dependencies.ts'
import { waitUntilVisible } from '../read-your-writes.ts'
import { checkSender } from './check-sender.ts'
import { emailContent } from './email-content.ts'
import { fromName } from './from-name.ts'
import { resolveRecipient } from './resolve-recipient.ts'
import { storeContent } from './store-content.ts'

const schema = {
  operationId: 'messages.sendEmail',
  summary: 'Send a transactional email',
  tags: ['messages'],
  body: SendEmailBody,
  response: { 202: MessageAccepted },
}

/** Recipient, sender, template, rendering: the order is the contract's, and a refused sender may leave the contact behind. */
export const sendEmail = (app: App, deps: Dependencies): void => {
  app.post('/public/messages/email', { schema }, async (request, reply) => {
    const { body, tenant } = request
    const context = appendContext(request, deps.now())
    const recipient = await resolveRecipient(deps, context, body)
    const sender = checkSender(await deps.directory.workspace(tenant.workspaceId), body.fromEmail)
    const messageId = context.commandId
    const email = await emailContent(deps, { workspaceId: tenant.workspaceId, messageId, body, recipient })
    const executed = await deps.commands.execute({
      decider: message,
      stream: messageStream(tenant.workspaceId, messageId),
      command: {
        type: 'AcceptEmail',
        data: {
          messageId,
          contactId: recipient.contactId,
          to: recipient.email,
          fromEmail: sender.email,
          fromName: fromName(body.fromName, email.fromName, sender.name),
          replyTo: body.replyTo?.trim().toLowerCase() ?? null,
          ...(await storeContent(deps, { workspaceId: tenant.workspaceId, contactId: recipient.contactId, content: email.content })),
          templateId: email.templateId,
          kind: 'transactional',
        },
      },
      context,
      isNew: true,
    })
    const projections = recipient.created ? ['messages', 'profiles'] : ['messages']
    await waitUntilVisible(deps, reply, { position: executed.position, projections })
    reply.code(202)
    return { messageId }
  })
}
