import { asMessageId, asWorkspaceId } from '@tidings/domain'
import type { EmailMessage } from '../../src/email/port.ts'

/** A small mail, from Acme to Ada. */
export const mail: EmailMessage = {
  workspaceId: asWorkspaceId('0192b1f0-0000-7000-8000-000000000001'),
  messageId: asMessageId('0192b1f0-0000-7000-8000-00000000000a'),
  requestId: 'req-1',
  from: { email: 'hello@acme.example', name: 'Acme' },
  to: 'ada@example.com',
  replyTo: null,
  subject: 'Hi',
  html: '<p>Hi</p>',
  text: null,
}
