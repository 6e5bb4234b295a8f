import type { Event, EventDeclarations } from '../kernel.ts'

// Stored for ever: change only together with an upcast.
export type WebhookEndpointCreated = Event<
  'WebhookEndpointCreated',
  { endpointId: string; url: string; label: string | null; events: readonly string[]; signingSecret: string }
>
export type WebhookEndpointPaused = Event<'WebhookEndpointPaused', { endpointId: string }>
export type WebhookEndpointResumed = Event<'WebhookEndpointResumed', { endpointId: string }>
export type WebhookEndpointDeleted = Event<'WebhookEndpointDeleted', { endpointId: string }>
export type WebhooksEvent = WebhookEndpointCreated | WebhookEndpointPaused | WebhookEndpointResumed | WebhookEndpointDeleted

/** An endpoint has a key of its own, like a person: when it goes, its signing secret goes from the log with it. */
export const webhookSubject = ({ endpointId }: Readonly<{ endpointId: string }>): string => `webhook:${endpointId}`

export const webhooksDeclarations = {
  WebhookEndpointCreated: { version: 1, personal: { subject: webhookSubject, fields: ['url', 'label', 'signingSecret'] } },
  WebhookEndpointPaused: { version: 1 },
  WebhookEndpointResumed: { version: 1 },
  WebhookEndpointDeleted: { version: 1 },
} satisfies EventDeclarations & Record<WebhooksEvent['type'], unknown>
