import type { DomainEvent } from '@tidings/domain'

type EventType = DomainEvent['type']

/** What each event says, in one sentence or two. */
export const events = {
  WorkspaceCreated: 'A workspace exists. Its id follows from the slug, so a slug is taken at most once.',
  WorkspaceSettingsChanged: 'Settings changed. Only those that changed are there.',
  WorkspaceStatusChanged: 'The workspace became active, suspended or closed.',
  ApiKeyCreated: 'A key was made. `hash` is the SHA-256 of the whole key in lowercase hex; the key itself is stored nowhere.',
  ApiKeyRevoked: 'The key is refused from here on.',
  ApiKeyDeleted: 'The record of a revoked key is gone from the lists.',
  SenderDomainConfigured: 'What holds for a domain now, as a whole.',
  SenderAddressConfigured: 'What holds for a sender address now, as a whole. Its data subject is `sender:<addressId>`.',
  TemplateCreated: 'A template exists. Its channel never changes. What the channel does not use is null.',
  TemplateContentChanged: 'The whole new content.',
  TemplateArchived: 'The template is no longer listed and can no longer be sent.',
  TemplateRestored: 'An archived template can be used again.',
  ListCreated: 'A list exists. Its name and its type never change.',
  ContactAddedToList: 'The contact is on the list. Written only for one who was not: a webhook `list.subscribed` each.',
  ContactRemovedFromList: 'The contact is off the list. Written only for one who was on it: a webhook `list.unsubscribed` each.',
  WebhookEndpointCreated:
    'An endpoint exists, and is active. Its data subject is `webhook:<endpointId>`: the key goes with the endpoint, and the signing secret with the key.',
  WebhookEndpointPaused: 'Nothing is delivered to it from here on, and what waited is dropped.',
  WebhookEndpointResumed: 'It is active again: it gets what happens from here on.',
  WebhookEndpointDeleted: 'It is gone, for good.',
  TagCreated: 'A tag exists. Its name never changes, and is there once in a workspace.',
  TagColorChanged: 'The tag has another color, or none.',
  ContactCreated:
    'A person is known. A claim id is there for each address that this contact holds. `source` says how it came: `api`, `send`.',
  ContactDetailsChanged: 'Details changed. Only those that changed are there; `customProperties` is the whole new object.',
  ContactEmailChanged: 'Another email, held under another claim; both null when it was taken away.',
  ContactPhoneChanged: 'Another phone number, held under another claim; both null when it was taken away.',
  ContactConsentRecorded:
    'Somebody said, or something showed, what the consent of a channel is. A repetition of the same value is recorded too.',
  ContactSuppressed: 'A channel of the contact is suppressed, for a reason.',
  ContactSuppressionLifted: 'Every suppression of the channel is lifted, whatever its reason.',
  ContactEmailValidated: 'What is known about whether the address can be reached.',
  ContactClaimAbandoned: 'The fence of the claim protocol: whoever still writes under this claim must fail.',
  ClaimTaken: '`ownerId` may hold the value, if its own stream says so under this claim id.',
  ClaimReleased: 'The value is free again, provided that this claim still held it.',
  EmailAccepted:
    'An email was accepted, its merge tags resolved. Content up to 16 KiB is inside; larger content is a sealed row of `ops.content` that `contentId` names.',
  MessageSent: 'The provider took the message. `providerMessageId` is its name for it.',
  MessageDelivered: 'A receipt said that it was delivered.',
  MessageBounced: 'The receiving side refused it. `hard` says whether for good; `detail` is what it said.',
  MessageComplained: 'The recipient reported it as spam.',
  MessageFailed: 'It was not sent, and will not be. `detail` is what the provider said.',
  MessageSuppressed: 'It was not sent because the recipient is suppressed.',
  MessageSkipped: 'It was not sent because a condition of sending was not met.',
  MessageReceiptIgnored: 'A receipt came too late to change the status. One of each kind is kept.',
} satisfies Readonly<Record<EventType, string>>

/** Which events stand in which stream. */
export const streams: readonly Readonly<{ title: string; stream: string; types: readonly EventType[] }>[] = [
  {
    title: 'Workspace',
    stream: 'workspace-<workspaceId>',
    types: [
      'WorkspaceCreated',
      'WorkspaceSettingsChanged',
      'WorkspaceStatusChanged',
      'ApiKeyCreated',
      'ApiKeyRevoked',
      'ApiKeyDeleted',
      'SenderDomainConfigured',
      'SenderAddressConfigured',
    ],
  },
  {
    title: 'Template',
    stream: 'template-<workspaceId>-<templateId>',
    types: ['TemplateCreated', 'TemplateContentChanged', 'TemplateArchived', 'TemplateRestored'],
  },
  { title: 'List', stream: 'list-<workspaceId>-<listId>', types: ['ListCreated'] },
  {
    title: 'Members of a list',
    stream: 'members-<workspaceId>-<listId>-<last four digits of the contact id>',
    types: ['ContactAddedToList', 'ContactRemovedFromList'],
  },
  { title: 'Tags', stream: 'tags-<workspaceId>', types: ['TagCreated', 'TagColorChanged'] },
  {
    title: 'Webhooks',
    stream: 'webhooks-<workspaceId>',
    types: ['WebhookEndpointCreated', 'WebhookEndpointPaused', 'WebhookEndpointResumed', 'WebhookEndpointDeleted'],
  },
  {
    title: 'Contact',
    stream: 'contact-<workspaceId>-<contactId>',
    types: [
      'ContactCreated',
      'ContactDetailsChanged',
      'ContactEmailChanged',
      'ContactPhoneChanged',
      'ContactConsentRecorded',
      'ContactSuppressed',
      'ContactSuppressionLifted',
      'ContactEmailValidated',
      'ContactClaimAbandoned',
    ],
  },
  { title: 'Claim', stream: 'claim-<workspaceId>-<kind>.<digest>', types: ['ClaimTaken', 'ClaimReleased'] },
  {
    title: 'Message',
    stream: 'message-<workspaceId>-<messageId>',
    types: [
      'EmailAccepted',
      'MessageSent',
      'MessageDelivered',
      'MessageBounced',
      'MessageComplained',
      'MessageFailed',
      'MessageSuppressed',
      'MessageSkipped',
      'MessageReceiptIgnored',
    ],
  },
]
