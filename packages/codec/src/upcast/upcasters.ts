import type { Upcaster } from './upcast.ts'

/** Every step there ever was, oldest first. A step is never changed: `golden/` holds what it was made for. */
export const upcasters: readonly Upcaster[] = [
  { type: 'CreditsAdded', from: 1, upcast: (data) => ({ ...data, commandId: null }) },
  // From here on free text is sealed; what was written before stays in clear, and reads as it did.
  { type: 'CreditsAdded', from: 2, upcast: (data) => data },
  { type: 'FormConfigured', from: 1, upcast: (data) => ({ ...data, confirmation: null }) },
  { type: 'SmsSenderIdRejected', from: 1, upcast: (data) => data },
  // Until then lists were static: members came and went by request.
  { type: 'ContactAddedToList', from: 1, upcast: (data) => ({ ...data, reason: 'request' }) },
  { type: 'ContactRemovedFromList', from: 1, upcast: (data) => ({ ...data, reason: 'request' }) },
  // Until then only the operator managed keys.
  ...(['ApiKeyCreated', 'ApiKeyRevoked', 'ApiKeyDeleted'] as const).map(
    (type): Upcaster => ({ type, from: 1, upcast: (data) => ({ ...data, userId: null, ip: null, userAgent: null }) }),
  ),
  { type: 'ContactConsentRecorded', from: 1, personal: ['ip', 'userAgent'], upcast: (data) => ({ ...data, message: null }) },
  // Until then both were the operator's word, also where the file left them out: the next `apply` says which were meant.
  { type: 'SenderDomainConfigured', from: 1, upcast: (data) => data },
  // Until then every suppression of the channel was lifted.
  { type: 'ContactSuppressionLifted', from: 1, upcast: (data) => data },
  // Until then the address of a request for a message was not kept.
  { type: 'EmailAccepted', from: 1, personal: ['to', 'fromEmail', 'fromName', 'replyTo', 'content'], upcast: (data) => data },
  { type: 'SmsAccepted', from: 1, personal: ['to', 'body'], upcast: (data) => data },
  { type: 'PasscodeAccepted', from: 1, personal: ['to'], upcast: (data) => data },
]
