import type { Upcaster } from './upcast.ts'

/** Every step there ever was, oldest first. A step is never changed: `golden/` holds what it was made for. */
export const upcasters: readonly Upcaster[] = [
  { type: 'CreditsAdded', from: 1, upcast: (data) => ({ ...data, commandId: null }) },
  // This version seals free text; what was written before stays in clear, and reads as it did.
  { type: 'CreditsAdded', from: 2, upcast: (data) => data },
  { type: 'FormConfigured', from: 1, upcast: (data) => ({ ...data, confirmation: null }) },
  { type: 'SmsSenderIdRejected', from: 1, upcast: (data) => data },
  // Lists were static until then: members came and went by request.
  { type: 'ContactAddedToList', from: 1, upcast: (data) => ({ ...data, reason: 'request' }) },
  { type: 'ContactRemovedFromList', from: 1, upcast: (data) => ({ ...data, reason: 'request' }) },
  // Only the operator managed keys until then.
  ...(['ApiKeyCreated', 'ApiKeyRevoked', 'ApiKeyDeleted'] as const).map(
    (type): Upcaster => ({ type, from: 1, upcast: (data) => ({ ...data, userId: null, ip: null, userAgent: null }) }),
  ),
  { type: 'ContactConsentRecorded', from: 1, personal: ['ip', 'userAgent'], upcast: (data) => ({ ...data, message: null }) },
  // Both were the operator's word until then, also if the file left them out: the next `apply` says which were meant.
  { type: 'SenderDomainConfigured', from: 1, upcast: (data) => data },
  // Every suppression of the channel was lifted until then.
  { type: 'ContactSuppressionLifted', from: 1, upcast: (data) => data },
  // The address of a request for a message was not kept until then.
  { type: 'EmailAccepted', from: 1, personal: ['to', 'fromEmail', 'fromName', 'replyTo', 'content'], upcast: (data) => data },
  // Content of a template was complete in its event, or in a row beside it, until then.
  { type: 'EmailAccepted', from: 2, personal: ['to', 'fromEmail', 'fromName', 'replyTo', 'content', 'ip'], upcast: (data) => data },
  { type: 'SmsAccepted', from: 1, personal: ['to', 'body'], upcast: (data) => data },
  { type: 'PasscodeAccepted', from: 1, personal: ['to'], upcast: (data) => data },
  // A status had no reason until then.
  { type: 'WorkspaceStatusChanged', from: 1, upcast: (data) => ({ ...data, reason: null }) },
]
