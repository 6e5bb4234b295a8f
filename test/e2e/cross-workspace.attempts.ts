import { uncoded } from './support/answers.ts'

/** Everything that somebody could know about another workspace, and the sender of their own. */
export type KnownIds = Readonly<{
  contactId: string
  email: string
  phone: string
  messageId: string
  templateId: string
  listId: string
  tagId: string
  webhookId: string
  sender: string
  mySender: string
  smsSender: string
  mySmsSender: string
  verificationId: string
  code: string
  smsTemplateId: string
}>

export type Attempt = Readonly<{ path: (known: KnownIds) => string; body?: (known: KnownIds) => unknown; expected: object }>

const notFound = (what: string) => uncoded(404, `${what} not found`)
const nothing = { status: 200, success: true }

/** What somebody tries who knows every id of another workspace, one attempt a route. */
export const attempts: Readonly<Record<string, readonly Attempt[]>> = {
  'GET /public/me': [{ path: () => '/public/me', expected: nothing }],
  'GET /public/profiles': [
    { path: () => '/public/profiles', expected: nothing },
    { path: () => '/public/profiles?search=Zanzibar', expected: nothing },
    { path: (known) => `/public/profiles?segmentId=${known.listId}`, expected: nothing },
  ],
  'GET /public/profiles/lookup': [{ path: (known) => `/public/profiles/lookup?email=${known.email}`, expected: notFound('Profile') }],
  'GET /public/profiles/{id}': [{ path: (known) => `/public/profiles/${known.contactId}`, expected: notFound('Profile') }],
  'POST /public/profiles': [
    {
      path: () => '/public/profiles',
      body: (known) => ({ email: known.email, phone: known.phone }),
      expected: { status: 201, success: true },
    },
  ],
  'PUT /public/profiles': [{ path: () => '/public/profiles', body: (known) => ({ email: known.email, notes: 'mine' }), expected: nothing }],
  'PATCH /public/profiles': [
    { path: () => '/public/profiles', body: () => ({ email: 'only@theirs.example', notes: 'x' }), expected: notFound('Profile') },
  ],
  'PATCH /public/profiles/{id}': [
    { path: (known) => `/public/profiles/${known.contactId}`, body: () => ({ email: 'a@mine.example' }), expected: notFound('Profile') },
    { path: (known) => `/public/profiles/${known.contactId}`, body: () => ({ notes: 'x' }), expected: notFound('Profile') },
  ],
  'POST /public/profiles/blacklist': [
    {
      path: () => '/public/profiles/blacklist',
      body: (known) => ({ contactId: known.contactId, channel: 'both' }),
      expected: notFound('Profile'),
    },
    {
      path: () => '/public/profiles/blacklist',
      body: () => ({ email: 'only@theirs.example', channel: 'both' }),
      expected: notFound('Profile'),
    },
  ],
  'DELETE /public/profiles/blacklist': [
    {
      path: () => '/public/profiles/blacklist',
      body: (known) => ({ contactId: known.contactId, channel: 'both' }),
      expected: notFound('Profile'),
    },
  ],
  'POST /events/ingest': [
    {
      path: () => '/events/ingest',
      body: (known) => ({ event: 'order_placed', contactId: known.contactId }),
      expected: nothing,
    },
    {
      path: () => '/events/ingest',
      body: (known) => ({ event: 'order_placed', email: known.email, phone: known.phone }),
      expected: nothing,
    },
  ],
  'POST /public/messages/email': [
    {
      path: () => '/public/messages/email',
      body: (known) => ({ contactId: known.contactId, fromEmail: known.mySender, subject: 's', html: 'h' }),
      expected: notFound('Contact'),
    },
    {
      path: () => '/public/messages/email',
      body: (known) => ({ to: 'x@mine.example', fromEmail: known.sender, subject: 's', html: 'h' }),
      expected: { status: 400, code: 'from_domain_not_verified' },
    },
    {
      path: () => '/public/messages/email',
      body: (known) => ({ to: 'x@mine.example', fromEmail: known.mySender, templateId: known.templateId }),
      expected: { status: 404, code: 'template_not_found' },
    },
  ],
  'POST /public/messages/sms': [
    {
      path: () => '/public/messages/sms',
      body: (known) => ({ contactId: known.contactId, senderId: known.mySmsSender, body: 'b' }),
      expected: notFound('Contact'),
    },
    {
      path: () => '/public/messages/sms',
      body: (known) => ({ to: '+972501000002', senderId: known.smsSender, body: 'b' }),
      expected: { status: 400, code: 'sender_id_not_approved' },
    },
    {
      path: () => '/public/messages/sms',
      body: (known) => ({ to: '+972501000002', senderId: known.mySmsSender, templateId: known.smsTemplateId }),
      expected: { status: 404, code: 'template_not_found' },
    },
    // Both workspaces may know one person: theirs is not found by the number, and mine is made.
    {
      path: () => '/public/messages/sms',
      body: (known) => ({ to: known.phone, senderId: known.mySmsSender, body: 'b' }),
      expected: { status: 202, success: true },
    },
  ],
  'POST /otp/send': [
    {
      path: () => '/otp/send',
      body: (known) => ({ phone: known.phone, senderId: known.smsSender }),
      expected: { status: 400, code: 'sender_id_not_approved' },
    },
  ],
  'POST /otp/verify': [
    {
      path: () => '/otp/verify',
      body: (known) => ({ verificationId: known.verificationId, code: known.code }),
      expected: { status: 200, success: true },
    },
  ],
  'GET /public/messages': [{ path: () => '/public/messages', expected: nothing }],
  'GET /public/messages/{id}': [{ path: (known) => `/public/messages/${known.messageId}`, expected: notFound('Message') }],
  'GET /public/templates': [{ path: () => '/public/templates', expected: nothing }],
  'GET /public/templates/{id}/merge-fields': [
    { path: (known) => `/public/templates/${known.templateId}/merge-fields`, expected: { status: 404, code: 'template_not_found' } },
  ],
  'GET /public/lists': [{ path: () => '/public/lists', expected: nothing }],
  'POST /public/lists/{id}/members': [
    {
      path: (known) => `/public/lists/${known.listId}/members`,
      body: (known) => ({ emails: ['me@mine.example'], contactIds: [known.contactId] }),
      expected: notFound('List'),
    },
  ],
  'DELETE /public/lists/{id}/members': [
    {
      path: (known) => `/public/lists/${known.listId}/members`,
      body: (known) => ({ email: known.email, contactIds: [known.contactId] }),
      expected: notFound('List'),
    },
  ],
  'DELETE /public/lists/{id}/members/{contactId}': [
    { path: (known) => `/public/lists/${known.listId}/members/${known.contactId}`, expected: notFound('List') },
  ],
  'GET /public/tags': [{ path: () => '/public/tags', expected: nothing }],
  'POST /public/tags': [{ path: () => '/public/tags', body: () => ({ name: 'Zanzibar' }), expected: { status: 201, success: true } }],
  'GET /public/custom-fields': [{ path: () => '/public/custom-fields', expected: nothing }],
  'GET /public/sms-sender-ids': [{ path: () => '/public/sms-sender-ids', expected: nothing }],
  'GET /public/events': [{ path: () => '/public/events?limit=100', expected: nothing }],
  'GET /public/campaigns': [
    { path: () => '/public/campaigns', expected: nothing },
    { path: () => '/public/campaigns?search=Zanzibar', expected: nothing },
    { path: (known) => `/public/campaigns?segmentId=${known.listId}`, expected: nothing },
    { path: (known) => `/public/campaigns?tagIds=${known.tagId}`, expected: nothing },
  ],
  'GET /public/webhooks': [{ path: () => '/public/webhooks', expected: nothing }],
  'POST /public/webhooks': [
    {
      path: () => '/public/webhooks',
      body: () => ({ url: 'https://8.8.8.8/hook', events: ['never.fired'] }),
      expected: { status: 201, success: true },
    },
  ],
  'DELETE /public/webhooks/{id}': [{ path: (known) => `/public/webhooks/${known.webhookId}`, expected: notFound('Webhook') }],
  'POST /push/subscriptions': [
    {
      path: () => '/push/subscriptions',
      body: (known) => ({ profileId: known.contactId, endpoint: 'https://8.8.8.8/push', keys: { p256dh: 'key', auth: 'secret' } }),
      expected: notFound('Profile'),
    },
  ],
  'POST /forms/subscribe': [
    { path: () => '/forms/subscribe', body: (known) => ({ email: known.email }), expected: uncoded(403, 'Embedded forms are not enabled') },
  ],
  'GET /public/sender-addresses': [{ path: () => '/public/sender-addresses', expected: nothing }],
}
