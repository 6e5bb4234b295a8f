import {
  asMessageId,
  type ContactDetails,
  type ContactEvent,
  type ContactId,
  contactFieldNames,
  contactFields,
  noDetails,
} from '@tidings/domain'
import fc from 'fast-check'
import { campaign, consents, maybe, properties, words } from './arbitraries.ts'

/** These are so few that two contacts name the same one. */
const MESSAGES = ['8c1f0b52-3a60-4c5e-9d51-6a0c5f1e2b01', '8c1f0b52-3a60-4c5e-9d51-6a0c5f1e2b02'] as const

const values = { text: maybe(words), tags: fc.array(words, { maxLength: 4 }), properties }
const details: fc.Arbitrary<ContactDetails> = fc
  .record(Object.fromEntries(contactFieldNames.map((field) => [field, values[contactFields[field]]] as const)))
  .map((some) => ({ ...noDetails, ...some }))

type Fields<Type extends ContactEvent['type']> = fc.Arbitrary<Omit<Extract<ContactEvent, { type: Type }>['data'], 'contactId'>>

/** One arbitrary for each event type, without the contact's id; a type that is missing here does not compile. */
const contactEvents: { readonly [Type in ContactEvent['type']]: Fields<Type> } = {
  ContactCreated: fc
    .tuple(details, fc.record({ email: maybe(fc.emailAddress()), phone: maybe(words), source: words }))
    .map(([known, reach]) => ({ ...known, ...reach, emailClaimId: null, phoneClaimId: null })),
  ContactDetailsChanged: details.chain((all) => fc.subarray(Object.entries(all)).map((some) => Object.fromEntries(some))),
  ContactEmailChanged: fc.record({ email: maybe(fc.emailAddress()), claimId: fc.constant(null) }),
  ContactPhoneChanged: fc.record({ phone: maybe(words), claimId: fc.constant(null) }),
  ContactConsentRecorded: fc.record({
    channel: fc.constantFrom('email', 'sms', 'push'),
    from: consents,
    to: consents,
    source: words,
    ip: maybe(words),
    userAgent: maybe(words),
    message: maybe(fc.record({ messageId: fc.constantFrom(...MESSAGES).map(asMessageId), campaign: maybe(campaign) })),
  }),
  ContactSuppressed: fc.record({
    channel: fc.constantFrom('email', 'sms'),
    reason: fc.constantFrom('hard_bounce', 'global_blocklist', 'spam_complaint'),
  }),
  ContactSuppressionLifted: fc.record({ channel: fc.constantFrom('email', 'sms') }),
  ContactEmailValidated: fc.record({ state: fc.constantFrom('unknown', 'valid', 'risky', 'invalid') }),
  ContactBrowserAdded: fc.record({ endpointHash: words, registration: fc.integer({ min: 1, max: 9 }) }),
  ContactBrowserRemoved: fc.record({ endpointHash: words }),
  ContactClaimAbandoned: fc.record({ claimId: fc.uuid() }),
  ContactErasureRequested: fc.constant({}),
  ContactErased: fc.constant({}),
}

const eventOf = (type: ContactEvent['type'], contactId: ContactId): fc.Arbitrary<ContactEvent> =>
  contactEvents[type].map((fields) => ({ type, data: { contactId, ...fields } }) as ContactEvent)

const notLater: ReadonlySet<string> = new Set(['ContactCreated', 'ContactErasureRequested', 'ContactErased'])
const later = Object.keys(contactEvents).filter((type) => !notLater.has(type)) as ContactEvent['type'][]

/**
 * A contact from its creation on, or one that never came to be: its claim was fenced first. Each consent starts from the last. Some end with
 * an erasure, or with one that was only asked for.
 */
export function contactLife(contactId: ContactId): fc.Arbitrary<readonly ContactEvent[]> {
  return fc.oneof(
    { arbitrary: eventOf('ContactClaimAbandoned', contactId).map((fence) => [fence]), weight: 1 },
    {
      arbitrary: fc
        .tuple(
          eventOf('ContactCreated', contactId),
          fc.array(
            fc.constantFrom(...later).chain((type) => eventOf(type, contactId)),
            { maxLength: 8 },
          ),
          fc.constantFrom(0, 0, 1, 2),
        )
        .map(([created, events, erasing]) => [created, ...chained(events), ...erasure(contactId).slice(0, erasing)]),
      weight: 9,
    },
  )
}

const erasure = (contactId: ContactId): readonly ContactEvent[] => [
  { type: 'ContactErasureRequested', data: { contactId } },
  { type: 'ContactErased', data: { contactId } },
]

const chained = (events: readonly ContactEvent[]): readonly ContactEvent[] => {
  const now = new Map<string, string>()
  return events.map((event) => {
    if (event.type !== 'ContactConsentRecorded') return event
    const from = now.get(event.data.channel) ?? 'never_subscribed'
    now.set(event.data.channel, event.data.to)
    return { ...event, data: { ...event.data, from } } as ContactEvent
  })
}
