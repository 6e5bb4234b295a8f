import type { EndpointId, WorkspaceId } from '../ids.ts'
import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'

// Stored for ever: change only together with an upcast.
export type WebhookEndpointCreated = Event<
  'WebhookEndpointCreated',
  { endpointId: EndpointId; url: string; label: string | null; events: readonly string[]; signingSecret: string }
>
export type WebhookEndpointPaused = Event<'WebhookEndpointPaused', { endpointId: EndpointId }>
type WebhookEndpointResumed = Event<'WebhookEndpointResumed', { endpointId: EndpointId }>
export type WebhookEndpointDeleted = Event<'WebhookEndpointDeleted', { endpointId: EndpointId }>
export type WebhooksEvent = WebhookEndpointCreated | WebhookEndpointPaused | WebhookEndpointResumed | WebhookEndpointDeleted

/** An endpoint has a key of its own, like a person: deleting the key erases the signing secret from the log. */
export function webhookSubject({ endpointId }: Readonly<{ endpointId: EndpointId }>): string {
  return `webhook:${endpointId}`
}

export const webhooksDeclarations = {
  WebhookEndpointCreated: {
    version: 1,
    personal: { subject: webhookSubject, fields: ['url', 'label', 'signingSecret'], secret: ['signingSecret'] },
  },
  WebhookEndpointPaused: { version: 1 },
  WebhookEndpointResumed: { version: 1 },
  WebhookEndpointDeleted: { version: 1 },
} as const satisfies EventDeclarations & Record<WebhooksEvent['type'], unknown>

type Endpoint = Readonly<{ endpointId: EndpointId; active: boolean }>

/** Those that are not deleted. Labels and secrets play no part in decisions. */
type WebhooksState = readonly Endpoint[]

/** `limit`: how many endpoints the workspace may have (N541). */
type CreateWebhook = Command<'CreateWebhook', WebhookEndpointCreated['data'] & { limit: number }>
type PauseWebhook = Command<'PauseWebhook', { endpointId: EndpointId }>
type ResumeWebhook = Command<'ResumeWebhook', { endpointId: EndpointId }>
/** Does nothing where there is no such endpoint. */
type DeleteWebhook = Command<'DeleteWebhook', { endpointId: EndpointId }>
type WebhooksCommand = CreateWebhook | PauseWebhook | ResumeWebhook | DeleteWebhook

/** All endpoints of a workspace are one stream: that bounds their number. */
export function webhooksStream(workspaceId: WorkspaceId): string {
  return `webhooks-${workspaceId}`
}

const decide = (command: WebhooksCommand, state: WebhooksState): readonly WebhooksEvent[] => {
  const known = state.find(({ endpointId }) => endpointId === command.data.endpointId)
  switch (command.type) {
    case 'CreateWebhook':
      return known === undefined ? create(command.data, state) : []
    case 'PauseWebhook':
      return existing(known).active ? [{ type: 'WebhookEndpointPaused', data: command.data }] : []
    case 'ResumeWebhook':
      return existing(known).active ? [] : [{ type: 'WebhookEndpointResumed', data: command.data }]
    case 'DeleteWebhook':
      return known === undefined ? [] : [{ type: 'WebhookEndpointDeleted', data: command.data }]
    default:
      return command satisfies never
  }
}

const create = ({ limit, ...data }: CreateWebhook['data'], state: WebhooksState): readonly WebhooksEvent[] => {
  if (state.length >= limit) throw new Refused('webhook_limit_reached')
  return [{ type: 'WebhookEndpointCreated', data }]
}

const existing = (endpoint: Endpoint | undefined): Endpoint => {
  if (endpoint === undefined) throw new Refused('webhook_not_found')
  return endpoint
}

const evolve = (state: WebhooksState, { type, data: { endpointId } }: WebhooksEvent): WebhooksState => {
  switch (type) {
    case 'WebhookEndpointCreated':
      return [...state, { endpointId, active: true }]
    case 'WebhookEndpointPaused':
    case 'WebhookEndpointResumed':
      return state.map((one) => (one.endpointId === endpointId ? { endpointId, active: type === 'WebhookEndpointResumed' } : one))
    case 'WebhookEndpointDeleted':
      return state.filter((one) => one.endpointId !== endpointId)
    default:
      return type satisfies never
  }
}

/** The webhook endpoints of a workspace (contract: Webhook endpoints). */
export const webhooks: Decider<WebhooksCommand, WebhooksEvent, WebhooksState> = { decide, evolve, initialState: [], hot: true }
