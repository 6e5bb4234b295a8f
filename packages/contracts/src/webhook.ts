import { type Static, Type } from '@sinclair/typebox'
import { nullableText, Timestamp, text, Uuid } from './kinds.ts'

const endpoint = {
  id: Uuid,
  label: nullableText(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  active: Type.Boolean(),
  createdAt: Timestamp,
}

export const WebhookEndpoint = Type.Object(endpoint)
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

/** The secret is in no other answer. */
export const CreatedWebhookEndpoint = Type.Object({ ...endpoint, signingSecret: Type.String() })

/** Every endpoint of the workspace, newest first. */
export const WebhookEndpoints = Type.Array(WebhookEndpoint)

/** `*`, or a lowercase dotted name; it need not be one that we know. */
const eventName = Type.String({ pattern: '^(\\*|[a-z][a-z0-9_-]*(\\.[a-z][a-z0-9_-]*)+)$', maxLength: 255 })

export const CreateWebhookBody = Type.Object({
  url: text(1_000),
  events: Type.Array(eventName, { minItems: 1, maxItems: 1_000 }),
  label: Type.Optional(text(255)),
})
export type CreateWebhookBody = Static<typeof CreateWebhookBody>
