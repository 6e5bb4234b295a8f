import { MessageAccepted, SendEmailBody } from '@tidings/contracts'
import { Refused } from '@tidings/domain'
import type { App } from '@tidings/http'
import { appendContext } from '../append-context.ts'
import type { Dependencies } from '../dependencies.ts'
import { waitUntilVisible } from '../read-your-writes.ts'
import { acceptEmail } from './accept-email.ts'
import { type Recipient, resolveRecipient } from './resolve-recipient.ts'

const schema = {
  operationId: 'messages.sendEmail',
  summary: 'Send a transactional email',
  tags: ['messages'],
  body: SendEmailBody,
  response: { 202: MessageAccepted },
}

/** Refused, a first message leaves its contact behind: the recipient comes before the sender (contract, POST /public/messages/email). */
const nothingIfRefused = (error: unknown): null => {
  if (error instanceof Refused) return null
  throw error
}

/** Whom it is for, then what is sent; a new contact and its first message are one append where the log has such. */
export const sendEmail = (app: App, deps: Dependencies): void => {
  app.post('/public/messages/email', { schema }, async (request, reply) => {
    const { body } = request
    const context = appendContext(request, deps.now())
    const accepting = (recipient: Recipient) => acceptEmail(deps, { context, body, recipient })
    const along = (newcomer: Recipient) => accepting(newcomer).then(deps.commands.draft, nothingIfRefused)
    const recipient = await resolveRecipient(deps, context, { body, along })
    const position = recipient.along ?? (await deps.commands.execute(await accepting(recipient))).position
    await waitUntilVisible(deps, reply, { position, projections: recipient.created ? ['messages', 'profiles'] : ['messages'] })
    reply.code(202)
    return { messageId: context.commandId }
  })
}
