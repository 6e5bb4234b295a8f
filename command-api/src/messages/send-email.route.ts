import { appendContext, waitUntilVisible } from '@tidings/administration'
import { MessageAccepted, SendEmailBody } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { acceptTo } from './accept-email.ts'
import { findRecipient } from './find-recipient.ts'
import { emailRefusals } from './prepare-email.ts'

const schema = {
  operationId: 'messages.sendEmail',
  summary: 'Send a transactional email',
  tags: ['messages'],
  body: SendEmailBody,
  response: { 202: MessageAccepted },
}

const config = { dashboard: { role: 'member' }, refusals: [...emailRefusals, 'recipient_email_missing', 'contact_not_found'] } as const

/** Finds the recipient, accepts the message, waits until it can be read. */
export function sendEmail(app: App, deps: Dependencies): void {
  app.post('/public/messages/email', { schema, config }, async (request, reply) => {
    const { body } = request
    const ip = request.clientAddress
    const context = appendContext(request, deps.now())
    const found = await findRecipient(deps, context.workspaceId, body)
    const { position, created } = await acceptTo(deps, { context, body, ip }, found)
    await waitUntilVisible(deps, reply, { position, projections: created ? ['messages', 'profiles'] : ['messages'] })
    reply.code(202)
    return { messageId: context.commandId }
  })
}
