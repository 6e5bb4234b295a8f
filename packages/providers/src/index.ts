export { type EmailProviderSettings, emailProvider, tryRelay } from './email/email-provider.ts'
export { parseProviderId } from './email/message-id.ts'
export type { DkimKey, EmailMessage, EmailProvider, Subscription } from './email/port.ts'
export { createReturnPaths, type ReturnPaths } from './email/return-path.ts'
export { classifyRefusal, enhancedCodeOf, type RefusedAt } from './email/smtp/refusals.ts'
export { isLoopback, withoutCredentials } from './email/smtp/settings.ts'
export {
  deleteFromOutbox,
  deleteRecipients,
  findInOutbox,
  listOutbox,
  type OutboxMessage,
} from './outbox/outbox-store.ts'
export { DeliveryError, type Priority, type SendOptions } from './port.ts'
export { countProviderCall, showProviderOutage } from './provider-metrics.ts'
export { payloadTooLarge, pushPayload } from './push/payload.ts'
export { type PushMessage, type PushProvider, SubscribedUnderOtherKey } from './push/port.ts'
export { createPushProvider } from './push/push-provider.ts'
export { ratedEmailProvider, ratedSmsProvider, ratedVoiceProvider } from './rate/rated-providers.ts'
export { reserveTimesIn } from './rate/reserve-times.ts'
export { createSendRate } from './rate/send-rate.ts'
export type { InboundSms, PartReceipt, SmsProvider, SmsReceipt, SubmittedSms } from './sms/port.ts'
export { createSmsProvider } from './sms/sms-provider.ts'
export type { SmsProviderSettings } from './sms/sms-provider-settings.ts'
export { createUnconfiguredSmsProvider } from './sms/unconfigured-sms-provider.ts'
export type { Taken } from './taken.ts'
export { trySmsProvider, tryVoiceProvider } from './try-phone-provider.ts'
export { parseTwilioUrl } from './twilio/account.ts'
export { type CallbackRequest, createTwilioCallbacks, TWILIO_PATHS, type TwilioCallbacks } from './twilio/callbacks.ts'
export { TWILIO_ERRORS, TWILIO_STATUSES } from './twilio/errors.ts'
export type { VoiceProvider } from './voice/port.ts'
export { createUnconfiguredVoiceProvider } from './voice/unconfigured-voice-provider.ts'
export { createVoiceProvider } from './voice/voice-provider.ts'
