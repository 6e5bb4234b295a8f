export { type EmailProviderSettings, emailProvider, tryRelay } from './email/email-provider.ts'
export { parseProviderId } from './email/message-id.ts'
export * from './email/port.ts'
export {
  deleteFromOutbox,
  findInOutbox,
  listOutbox,
  type OutboxMessage,
} from './outbox/outbox-store.ts'
