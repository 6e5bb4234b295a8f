export { type EmailProviderSettings, emailProvider } from './email/email-provider.ts'
export * from './email/port.ts'
export {
  deleteFromOutbox,
  findInOutbox,
  listOutbox,
  type OutboxChannel,
  type OutboxFilter,
  type OutboxMessage,
} from './outbox/outbox-store.ts'
