import { asTemplateId, asVerificationId, type MessageCampaign, type MessageEvent, type MessageId } from '@tidings/domain'
import fc from 'fast-check'
import { campaign, maybe, words } from './arbitraries.ts'

type OfMessage = 'messageId' | 'contactId' | 'channel'
type Fields<Type extends MessageEvent['type']> = fc.Arbitrary<Omit<Extract<MessageEvent, { type: Type }>['data'], OfMessage>>

const reason = fc.constantFrom('hard_bounce', 'soft_bounce', 'provider_rejected', 'undeliverable')

/** One arbitrary for each event type, without the message's ids; a type that is missing here does not compile. */
const messageEvents: { readonly [Type in MessageEvent['type']]: Fields<Type> } = {
  EmailAccepted: fc.record({
    to: fc.emailAddress(),
    fromEmail: fc.emailAddress(),
    fromName: maybe(words),
    replyTo: maybe(fc.emailAddress()),
    content: maybe(fc.record({ subject: words, html: words, text: maybe(words) })),
    contentId: maybe(fc.uuid()),
    templateId: maybe(fc.uuid().map(asTemplateId)),
    kind: fc.constantFrom('transactional', 'marketing'),
    ip: maybe(fc.ipV4()),
  }),
  SmsAccepted: fc.record({
    to: words,
    from: words,
    body: words,
    credits: fc.integer({ min: 1, max: 12 }),
    segments: fc.integer({ min: 1, max: 24 }),
    templateId: maybe(fc.uuid().map(asTemplateId)),
    kind: fc.constantFrom('transactional', 'marketing'),
  }),
  PushAccepted: fc.record({
    title: words,
    body: words,
    url: maybe(fc.webUrl()),
    icon: maybe(fc.webUrl()),
    templateId: maybe(fc.uuid().map(asTemplateId)),
    kind: fc.constantFrom('transactional', 'marketing'),
  }),
  PushAttempted: fc.record({
    accepted: fc.array(words, { maxLength: 2 }),
    refused: fc.array(words, { maxLength: 2 }),
    waiting: fc.array(words, { maxLength: 2 }),
  }),
  PasscodeAccepted: fc.record({
    verificationId: words.map(asVerificationId),
    to: words,
    from: words,
    credits: fc.integer({ min: 1, max: 12 }),
    segments: fc.integer({ min: 1, max: 24 }),
  }),
  MessageReaddressed: fc.record({ to: words }),
  MessageSent: fc.record({ provider: words, providerMessageId: words }),
  MessageDelivered: fc.constant({}),
  MessageBounced: fc.record({ reason, hard: fc.boolean(), detail: maybe(words) }),
  MessageComplained: fc.constant({}),
  MessageFailed: fc.record({ reason, detail: maybe(words) }),
  MessageSuppressed: fc.record({ reason }),
  MessageSkipped: fc.record({ reason }),
  MessageUnconfirmed: fc.record({ provider: fc.constant('smtp') }),
  MessageReceiptIgnored: fc.record({
    receipt: fc.constantFrom('delivered', 'bounced', 'complained', 'failed'),
    facts: maybe(fc.dictionary(words, words)),
  }),
  EmailOpened: fc.record({ machine: fc.boolean() }),
  EmailClicked: fc.record({ machine: fc.boolean(), link: fc.nat({ max: 999 }), url: fc.webUrl() }),
  PushClicked: fc.record({ machine: fc.boolean(), url: fc.webUrl() }),
}

const accepted = { EmailAccepted: 'email', SmsAccepted: 'sms', PushAccepted: 'push', PasscodeAccepted: 'voice' } as const
const acceptedTypes = Object.keys(accepted) as (keyof typeof accepted)[]
const later = Object.keys(messageEvents).filter((type) => !Object.hasOwn(accepted, type)) as MessageEvent['type'][]

const ofCampaign = (event: MessageEvent, one: MessageCampaign | null): MessageEvent =>
  one === null || event.type === 'PasscodeAccepted' ? event : ({ ...event, data: { ...event.data, campaign: one } } as MessageEvent)

/** A message from its acceptance on; what comes later comes in any order, as receipts do. */
export function messageLife(messageId: MessageId): fc.Arbitrary<readonly MessageEvent[]> {
  return fc.tuple(fc.uuid(), fc.constantFrom(...acceptedTypes)).chain(([anyId, first]) => {
    const channel = accepted[first]
    const contactId = first === 'PasscodeAccepted' ? null : anyId
    const eventOf = (type: MessageEvent['type']): fc.Arbitrary<MessageEvent> =>
      messageEvents[type].map((fields) => ({ type, data: { messageId, contactId, channel, ...fields } }) as MessageEvent)
    const rest = fc.array(fc.constantFrom(...later).chain(eventOf), { maxLength: 4 })
    return fc
      .tuple(eventOf(first), rest, maybe(campaign))
      .map(([begin, events, of]) => [begin, ...events].map((event) => ofCampaign(event, of)))
  })
}
