import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { nullableOneOf, nullableText, oneOf, Timestamp, text, Uuid } from './kinds.ts'
import { ConsentState } from './profile.ts'

const EarlierConsentState = named(
  'EarlierConsentState',
  nullableOneOf('subscribed', 'unsubscribed', 'never_subscribed', 'cleaned'),
  'The consent before a statement; null where the contact was created with it.',
)

const entry = {
  channel: named('ConsentHistoryChannel', oneOf('email', 'sms', 'push'), 'What a statement about consent is for.'),
  from: EarlierConsentState,
  to: ConsentState,
  source: Type.String(),
  at: Timestamp,
  recordedAt: Type.Optional(Timestamp),
  actor: Type.String(),
  ip: nullableText(),
  userAgent: nullableText(),
  requestId: Type.String(),
  position: Type.String(),
}

const entryExample = {
  ...{ channel: 'email' as const, from: null, to: 'subscribed' as const, source: 'checkout', at: exampleTime },
  ...{ actor: `api_key:${exampleIds.apiKey}`, ip: '192.0.2.7', userAgent: 'shop/1.0', requestId: 'checkout-7' },
  position: '00000000000000000042',
}

const ConsentEntry = described(Type.Object(entry), {
  name: 'ConsentEntry',
  about: 'One statement about the consent of a contact, with what proves it.',
  fields: {
    channel: 'The channel that it is about.',
    from: 'The state before it; null where the contact was created with it.',
    to: 'The state after it.',
    source: 'Where it came from, as the writer named it; `api` where no source was given.',
    at: 'When it was made.',
    recordedAt: 'When it was recorded, where that was later: by an import.',
    actor: 'Who made it: `api_key:<id>`, `user:<id>`, `form:<formId>`, `contact`, `provider`, `operator`, `import` or `pipeline`.',
    ip: 'The address that the request came from, or null.',
    userAgent: 'The `User-Agent` of the request, or null.',
    requestId: 'The `X-Request-Id` of the request.',
    position: 'Its place in the log; these texts sort in the order of the log.',
  },
  example: entryExample,
})

const ConsentChannels = described(Type.Object({ email: ConsentState, sms: ConsentState, push: ConsentState }), {
  name: 'ConsentChannels',
  about: 'The consent of a contact, by channel.',
  fields: { email: 'For email.', sms: 'For text messages.', push: 'For web push.' },
})

/** The API shows at most so many statements of a contact. */
export const MAX_CONSENT_HISTORY = 1_000

const ConsentHistory = named('ConsentHistory', Type.Array(ConsentEntry), 'The statements about the consent of a contact, oldest first.')

/** M22, and how many entries are left out. */
export const ContactConsent = described(
  Type.Object({ contactId: Uuid, at: Timestamp, channels: ConsentChannels, history: ConsentHistory, omitted: Type.Integer() }),
  {
    name: 'ContactConsent',
    about: 'The consent of a contact at a moment, and how it came to be.',
    fields: {
      contactId: 'The UUID of the contact.',
      at: 'The moment that was asked for; without one, now.',
      channels: 'The state of each channel at that moment.',
      history: `The statements up to that moment, oldest first: the last ${MAX_CONSENT_HISTORY} of them. The last of a channel made its state.`,
      omitted: 'How many older statements are left out.',
    },
    example: {
      contactId: exampleIds.contact,
      at: exampleTime,
      channels: { email: 'subscribed', sms: 'never_subscribed', push: 'never_subscribed' },
      history: [entryExample],
      omitted: 0,
    },
  },
)
export type ContactConsent = Static<typeof ContactConsent>

export const ConsentQuery = described(Type.Object({ at: Type.Optional(text(40)) }), {
  fields: { at: 'The moment: ISO 8601 with `Z` or an offset, or a date, which is its midnight in UTC. Without it, now.' },
})
