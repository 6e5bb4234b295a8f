import { appendContext, waitUntilVisible } from '@tidings/administration'
import { MessageAccepted, SendSmsBody } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { acceptSms } from './accept-sms.ts'
import { findSmsRecipient } from './find-sms-recipient.ts'

const schema = {
  operationId: 'messages.sendSms',
  summary: 'Send a transactional text message',
  tags: ['messages'],
  body: SendSmsBody,
  response: { 202: MessageAccepted },
}

const config = {
  dashboard: { role: 'member' },
  refusals: [
    'sender_id_required',
    'sender_id_not_approved',
    'template_not_found',
    'template_channel_mismatch',
    'template_render_failed',
    'content_empty',
    'content_too_long',
    'insufficient_credits',
    'invalid_phone',
    'recipient_phone_missing',
    'contact_phone_taken',
    'contact_not_found',
  ],
} as const

/** Looks the recipient up, accepts the message, waits until it can be read. */
export function sendSms(app: App, deps: Dependencies): void {
  app.post('/public/messages/sms', { schema, config }, async (request, reply) => {
    const { body } = request
    const context = appendContext(request, deps.now())
    const recipient = await findSmsRecipient(deps, context.workspaceId, body)
    const { position, created } = await acceptSms(deps, { context, body, ip: request.clientAddress }, recipient)
    await waitUntilVisible(deps, reply, { position, projections: created ? ['messages', 'profiles'] : ['messages'] })
    reply.code(202)
    return { messageId: context.commandId }
  })
}
