export { isLoopback, withoutCredentials } from './credentials.ts'
export { parseProviderId } from './email/message-id.ts'
export type { DkimKey, EmailMessage, EmailProvider, Subscription } from './email/port.ts'
export { createReturnPaths, type ReturnPaths } from './email/return-path.ts'
export { mailgunAccountIn } from './mailgun/account.ts'
export { MAILGUN_ANSWERS } from './mailgun/read-answer.ts'
export { createMailgunWebhooks, MAILGUN_PATH, type MailgunWebhooks } from './mailgun/webhook.ts'
export {
  createPushProvider,
  createSmsProvider,
  createVoiceProvider,
  type EmailProviderSettings,
  emailProvider,
  providersNamed,
  relayHostsOf,
  tryProvider,
  tryPushProvider,
} from './open-provider.ts'
export {
  deleteFromOutbox,
  deleteRecipients,
  findInOutbox,
  listOutbox,
  type OutboxMessage,
} from './outbox/outbox-store.ts'
export { DeliveryError, type Priority, type SendOptions } from './port.ts'
export { addressIn, checksCertificate, decodedPart, hostIn, tlsIn } from './provider-address.ts'
export { countProviderCall, showProviderOutage } from './provider-metrics.ts'
export { payloadTooLarge, pushPayload } from './push/payload.ts'
export { type PushMessage, type PushProvider, type PushTryOptions, SubscribedUnderOtherKey } from './push/port.ts'
export { createSendRate, ratedEmailProvider, ratedSmsProvider, ratedVoiceProvider, reserveTimesIn } from './rate/send-rate.ts'
export { sesAccountIn } from './ses/account.ts'
export { sesReport } from './ses/event.ts'
export { SES_ANSWERS } from './ses/read-answer.ts'
export { SnsAway } from './ses/sns-certificates.ts'
export { createSnsInbox, SES_PATH, type SnsInbox } from './ses/sns-inbox.ts'
export type { InboundSms, PartReceipt, SmsProvider, SmsProviderOptions, SmsReceipt, SubmittedSms } from './sms/port.ts'
export { classifyRefusal, enhancedCodeOf, type RefusedAt } from './smtp/refusals.ts'
export type { TakenMessage } from './taken.ts'
export { twilioAccountIn } from './twilio/account.ts'
export { type CallbackRequest, createTwilioCallbacks, TWILIO_PATHS, type TwilioCallbacks } from './twilio/callbacks.ts'
export { TWILIO_ERRORS, TWILIO_STATUSES } from './twilio/errors.ts'
export { createUnconfiguredSmsProvider, createUnconfiguredVoiceProvider } from './unconfigured.ts'
export type { VoiceProvider } from './voice/port.ts'
