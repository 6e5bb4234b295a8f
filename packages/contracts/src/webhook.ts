import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { EndpointUuid, nullableText, Timestamp, text, verbatim } from './kinds.ts'

const endpoint = {
  id: EndpointUuid,
  label: nullableText(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  active: Type.Boolean(),
  createdAt: Timestamp,
}

export const endpointSentences = {
  id: 'The UUID of the endpoint.',
  label: 'The label from its creation, or null.',
  url: 'Where deliveries go.',
  events: 'The names that the endpoint subscribed; only `*` means every event.',
  active: 'False while the endpoint is paused.',
  createdAt: 'When the endpoint was created.',
} as const

const exampleEndpoint = {
  id: exampleIds.webhook,
  label: 'Order service',
  url: 'https://example.com/hooks',
  events: ['contact.created', 'list.subscribed'],
  active: true,
  createdAt: exampleTime,
}

export const WebhookEndpoint = described(Type.Object(endpoint), {
  name: 'WebhookEndpoint',
  about: 'A URL that events are delivered to.',
  fields: endpointSentences,
  example: exampleEndpoint,
})
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

/** The secret is in no other answer. */
export const CreatedWebhookEndpoint = described(Type.Object({ ...endpoint, signingSecret: Type.String() }), {
  name: 'CreatedWebhookEndpoint',
  about: 'A new endpoint with its secret, which is shown this once.',
  fields: { ...endpointSentences, signingSecret: 'The key of the signatures of deliveries: 64 lower-case hex characters.' },
  example: { ...exampleEndpoint, signingSecret: '0123456789abcdef'.repeat(4) },
})

/** Every endpoint of the workspace, newest first. */
export const WebhookEndpoints = named('WebhookEndpoints', Type.Array(WebhookEndpoint), 'Every endpoint of the workspace, newest first.')

/** `*`, or a lowercase dotted name; it need not be one that we know. */
const eventName = Type.String({ pattern: '^(\\*|[a-z][a-z0-9_-]*(\\.[a-z][a-z0-9_-]*)+)$', maxLength: 255 })

const creation = Type.Object({
  url: verbatim(1_000),
  events: Type.Array(eventName, { minItems: 1, maxItems: 1_000 }),
  label: Type.Optional(text(255)),
})

export const CreateWebhookBody = described(creation, {
  name: 'CreateWebhookBody',
  about: 'A new webhook endpoint.',
  fields: {
    url: 'An HTTPS URL on the default port, whose host resolves to public addresses only.',
    events: 'The names to subscribe; only `*` means every event.',
    label: 'A label for people.',
  },
  example: { url: 'https://example.com/hooks', events: ['contact.created', 'list.subscribed'], label: 'Order service' },
})
export type CreateWebhookBody = Static<typeof CreateWebhookBody>
