export { type EmailProviderSettings, emailProvider, tryRelay } from './email/email-provider.ts'
export { parseProviderId } from './email/message-id.ts'
export type { EmailMessage, EmailProvider } from './email/port.ts'
export {
  deleteFromOutbox,
  findInOutbox,
  listOutbox,
  type OutboxMessage,
} from './outbox/outbox-store.ts'
export { DeliveryError, type SendOptions } from './port.ts'
export { TWILIO_ERRORS, TWILIO_STATUSES } from './twilio/errors.ts'
