export { type EmailProviderSettings, emailProvider, type RelayTried, tryRelay } from './email/email-provider.ts'
export { parseProviderId } from './email/message-id.ts'
export * from './email/port.ts'
export {
  deleteFromOutbox,
  findInOutbox,
  listOutbox,
  type OutboxChannel,
  type OutboxFilter,
  type OutboxMessage,
} from './outbox/outbox-store.ts'
