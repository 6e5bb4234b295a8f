import type { DomainEvent } from '@tidings/domain'

type Examples = { readonly [Type in DomainEvent['type']]: Extract<DomainEvent, { type: Type }>['data'] }

const contactId = '0192f0c1-0000-7000-8000-00000000000c'
const claimId = '0192f0c1-0000-7000-8000-00000000000d'
const ofMessage = { messageId: '0192f0c1-0000-7000-8000-00000000000e', contactId, channel: 'email' } as const
const content = { subject: 'Votre reçu', html: '<p>Merci, José ☕</p>', text: null }
const template = { subject: 'Hi {{firstName|there}}', html: '<p>Hi</p>', text: null, body: null, push: null, fromName: 'Acme' }

/** One event of every type in today's shape, with something in every personal field: what the samples are made from. */
export const examples: Examples = {
  ClaimTaken: { claimId, ownerId: contactId },
  ClaimReleased: { claimId },
  ContactCreated: {
    contactId,
    email: 'jose@example.com',
    emailClaimId: claimId,
    phone: '+33612345678',
    phoneClaimId: claimId,
    source: 'api',
    firstName: 'José',
    lastName: 'O\'Neil "Joe"',
    timezone: 'Europe/Paris',
    locale: 'fr-FR',
    notes: 'line one\nline two ☕',
    tags: ['vip', 'b2b'],
    customProperties: { plan: 'pro', seats: 3, nested: { ['__proto__']: 'a name like any other', list: [1, null, true] } },
  },
  ContactDetailsChanged: { contactId, firstName: null, tags: ['vip'] },
  ContactEmailChanged: { contactId, email: 'joe@example.com', claimId },
  ContactPhoneChanged: { contactId, phone: '+33612345679', claimId },
  ContactConsentRecorded: {
    contactId,
    channel: 'email',
    from: 'never_subscribed',
    to: 'subscribed',
    source: 'form',
    ip: '2001:db8::7',
    userAgent: 'Mozilla/5.0',
  },
  ContactSuppressed: { contactId, channel: 'email', reason: 'hard_bounce' },
  ContactSuppressionLifted: { contactId, channel: 'email' },
  ContactEmailValidated: { contactId, state: 'valid' },
  ContactClaimAbandoned: { contactId, claimId },
  EmailAccepted: {
    ...ofMessage,
    to: 'jose@example.com',
    fromEmail: 'hello@acme.example',
    fromName: 'Acme',
    replyTo: 'help@acme.example',
    content,
    contentId: null,
    templateId: null,
    kind: 'transactional',
  },
  MessageSent: { ...ofMessage, provider: 'smtp', providerMessageId: '<1@acme.example>' },
  MessageDelivered: ofMessage,
  MessageBounced: { ...ofMessage, reason: 'hard_bounce', hard: true, detail: '550 5.1.1 <jose@example.com> unknown' },
  MessageComplained: ofMessage,
  MessageFailed: { ...ofMessage, reason: 'provider_rejected', detail: 'refused <jose@example.com>' },
  MessageSuppressed: { ...ofMessage, reason: 'global_blocklist' },
  MessageSkipped: { ...ofMessage, reason: 'no_consent' },
  MessageReceiptIgnored: { ...ofMessage, receipt: 'bounced', facts: { recipient: 'jose@example.com', smtp: [550, '5.1.1'] } },
  ListCreated: { listId: '0192f0c1-0000-7000-8000-000000000013', name: 'Habitués ☕', listType: 'static' },
  ContactAddedToList: { listId: '0192f0c1-0000-7000-8000-000000000013', contactId },
  ContactRemovedFromList: { listId: '0192f0c1-0000-7000-8000-000000000013', contactId },
  TagCreated: { tagId: '0192f0c1-0000-7000-8000-000000000012', name: 'Frühling', color: 'accent' },
  TagColorChanged: { tagId: '0192f0c1-0000-7000-8000-000000000012', color: null },
  TemplateCreated: { ...template, templateId: '0192f0c1-0000-7000-8000-00000000000f', name: 'welcome', channel: 'email', archived: false },
  TemplateContentChanged: { ...template, templateId: '0192f0c1-0000-7000-8000-00000000000f' },
  TemplateArchived: { templateId: '0192f0c1-0000-7000-8000-00000000000f' },
  TemplateRestored: { templateId: '0192f0c1-0000-7000-8000-00000000000f' },
  WorkspaceCreated: {
    workspaceId: '0192f0c1-0000-7000-8000-00000000000a',
    slug: 'acme',
    name: 'Acme',
    plan: 'pro',
    country: 'FR',
    tracking: true,
  },
  WorkspaceSettingsChanged: { country: 'DE' },
  WorkspaceStatusChanged: { status: 'suspended' },
  ApiKeyCreated: { keyId: '0192f0c1-0000-7000-8000-000000000010', name: 'server', prefix: 'sk_evt_12345678', hash: '5e'.repeat(32) },
  ApiKeyRevoked: { keyId: '0192f0c1-0000-7000-8000-000000000010' },
  ApiKeyDeleted: { keyId: '0192f0c1-0000-7000-8000-000000000010' },
  SenderDomainConfigured: { domain: 'acme.example', verified: true, blocklisted: false },
  SenderAddressConfigured: {
    addressId: '0192f0c1-0000-7000-8000-000000000011',
    email: 'hello@acme.example',
    name: 'Acme',
    status: 'verified',
  },
}
