export type { ConnectorOptions, ReadOptions, WriteOptions } from './call.ts'
export { ApiError, type CallFacts, ConnectionError } from './errors.ts'
export { builtInEvents } from './generated/event-names.ts'
export type * from './generated/models.ts'
export type { Retry, SendOptions } from './send.ts'
export { Tidings, type TidingsOptions } from './tidings.ts'
export {
  type BuiltInEvent,
  type BuiltInEventName,
  type CustomEvent,
  isBuiltIn,
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookRequest,
} from './webhooks.ts'
