import { type Static, Type } from '@sinclair/typebox'
import { FactRecord } from './dashboard-messages.ts'
import { described } from './described.ts'
import { EndpointUuid, FreeObject, NullableTimestamp, nullableText, oneOf, Timestamp, text, Uuid } from './kinds.ts'
import { keyPageOf } from './pagination.ts'
import { endpointSentences, WebhookEndpoint } from './webhook.ts'

// Webhooks as the dashboard shows them (M73).

const OutcomeCounts = described(Type.Object({ delivered: Type.Integer(), retrying: Type.Integer(), dropped: Type.Integer() }), {
  name: 'WebhookOutcomeCounts',
  about: 'How tries went within a period, to ten minutes.',
  fields: {
    delivered: 'Tries that the receiver took.',
    retrying: 'Tries that failed and are followed by another.',
    dropped: 'Deliveries that were given up.',
  },
})

const health = { waiting: Type.Integer(), lastHour: OutcomeCounts, lastDay: OutcomeCounts }
const healthSentences = {
  waiting: 'How many deliveries wait for it.',
  lastHour: 'How its tries went within the last hour.',
  lastDay: 'How its tries went within the last day.',
} as const

export const WatchedWebhook = described(Type.Object({ ...WebhookEndpoint.properties, ...health }), {
  name: 'WatchedWebhook',
  about: 'A webhook endpoint, and how its deliveries go.',
  fields: { ...endpointSentences, ...healthSentences },
})
export type WatchedWebhook = Static<typeof WatchedWebhook>

export const WatchedWebhooks = described(Type.Object({ items: Type.Array(WatchedWebhook) }), {
  name: 'WatchedWebhooks',
  about: 'Every endpoint of the workspace, newest first.',
  fields: { items: 'The endpoints.' },
})

const tried = {
  attempt: Type.Integer(),
  outcome: oneOf('delivered', 'retrying', 'dropped'),
  status: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  error: nullableText(),
  durationMs: Type.Integer(),
  at: Timestamp,
}
const triedSentences = {
  attempt: 'The number of the try, from 1.',
  outcome: '`delivered`, `retrying` where another follows, or `dropped`.',
  status: 'What the receiver answered; null where it did not.',
  error: 'Why there was no answer.',
  durationMs: 'How long the receiver took.',
  at: 'When it ended.',
} as const

const WebhookTry = described(Type.Object({ deliveryId: Uuid, event: Type.String(), ...tried }), {
  name: 'WebhookTry',
  about: 'One try of a delivery.',
  fields: { deliveryId: 'The UUID of the delivery, as its receiver gets it.', event: 'The name of the event.', ...triedSentences },
})
export type WebhookTry = Static<typeof WebhookTry>
export const WebhookTryPage = keyPageOf(WebhookTry)
export type WebhookTryPage = Static<typeof WebhookTryPage>

export const WebhookTryQuery = described(
  Type.Object({ after: Type.Optional(text(200)), limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })) }),
  { fields: { after: 'The `next_cursor` of the page before.', limit: 'How many records a page holds at most, 1 to 100.' } },
)

export const DeliveryParams = described(Type.Object({ id: EndpointUuid, delivery: Uuid }), {
  fields: { id: 'The UUID of the endpoint.', delivery: 'The UUID of the delivery.' },
})

const TryOfDelivery = described(Type.Object(tried), { name: 'TryOfDelivery', about: 'One try of this delivery.', fields: triedSentences })

export const WebhookDelivery = described(
  Type.Object({
    id: Uuid,
    endpointId: EndpointUuid,
    url: nullableText(),
    event: Type.String(),
    status: oneOf('delivered', 'waits', 'dropped'),
    because: nullableText(),
    nextAt: NullableTimestamp,
    tries: Type.Array(TryOfDelivery),
    body: nullableText(),
    headers: FreeObject,
    facts: Type.Array(FactRecord),
  }),
  {
    name: 'WebhookDelivery',
    about: 'One delivery: what it says, what became of it, and why.',
    fields: {
      id: 'The UUID of the delivery, the same in each of its tries.',
      endpointId: 'The UUID of the endpoint.',
      url: 'Where it goes; null once the endpoint is deleted.',
      event: 'The name of the event.',
      status: '`waits`, or how it ended.',
      because: 'Why it waits, or was given up.',
      nextAt: 'When it is tried next.',
      tries: 'Those that are kept, oldest first.',
      body: 'The text that its receiver gets; null once the person that it is about is erased.',
      headers: 'The headers that its receiver gets, without those of the signature.',
      facts: 'The facts of the log that led to it, oldest first.',
    },
  },
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const SignedDelivery = described(
  Type.Object({ url: Type.String(), headers: FreeObject, body: Type.String(), expiresAt: NullableTimestamp }),
  {
    name: 'SignedDelivery',
    about: 'A request like the one that its receiver gets, signed now.',
    fields: {
      url: 'Where it goes.',
      headers: 'Every header, the signature included.',
      body: 'The text that is signed.',
      expiresAt: 'From when on receivers refuse the signature; null where nothing in it says when it was made.',
    },
  },
)
export type SignedDelivery = Static<typeof SignedDelivery>

export const AskedDelivery = described(Type.Object({ deliveryId: Uuid, state: oneOf('asked', 'waits', 'repeated') }), {
  name: 'AskedDelivery',
  about: 'A delivery that was asked for.',
  fields: {
    deliveryId: 'The UUID of the delivery.',
    state:
      '`asked`; `waits` where it waited already, and its turn is now; `repeated` where it was asked for a moment ago, and is not delivered twice.',
  },
})
export type AskedDelivery = Static<typeof AskedDelivery>
