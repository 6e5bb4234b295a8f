import { contactSubject } from '../contact/contact.events.ts'
import { asContactId, type ContactId, type WorkspaceId } from '../ids.ts'
import type { Command, Decider, Event, EventDeclarations } from '../kernel.ts'

/** One registration of a browser. `endpointHash`: SHA-256 of the endpoint as 64 hex digits, the identity of the browser. */
type OfRegistration = { subscriptionId: string; contactId: ContactId; endpointHash: string; registration: number }

/** The subscription that the browser sent (W3C Push API): where its push service is called, and the keys that a message to it is encrypted with (RFC 8291). */
type Browser = {
  endpoint: string
  p256dh: string
  auth: string
  userAgent: string | null
  browser: string | null
  platform: string | null
}

/** Its push service says that it is gone, or that it subscribed under another VAPID key, or its contact has as many that registered later. */
export type PushRevokeReason = 'push_endpoint_gone' | 'push_key_replaced' | 'too_many_browsers'

// Stored for ever: change only together with an upcast.
/** `registration` counts those of the endpoint from 1, for whichever contact; `createdAt`: of the first. */
export type PushSubscriptionRegistered = Event<'PushSubscriptionRegistered', OfRegistration & Browser & { createdAt: string }>
/** It is called no more. It is also the push suppression of the browser; the next registration lifts it. */
type PushSubscriptionRevoked = Event<'PushSubscriptionRevoked', OfRegistration & { reason: PushRevokeReason }>
export type PushSubscriptionEvent = PushSubscriptionRegistered | PushSubscriptionRevoked

const browser = ['endpoint', 'p256dh', 'auth', 'userAgent', 'browser', 'platform'] as const satisfies readonly (keyof Browser)[]

export const pushSubscriptionDeclarations = {
  PushSubscriptionRegistered: {
    version: 1,
    personal: { subject: contactSubject, fields: browser, secret: ['auth'], ending: { client: ['userAgent'] } },
  },
  PushSubscriptionRevoked: { version: 1 },
} as const satisfies EventDeclarations & Record<PushSubscriptionEvent['type'], unknown>

/** Each registration counts, also a repeated one. `subscriptionId` and `createdAt` are kept from the first. */
export type RegisterPushSubscription = Command<'RegisterPushSubscription', Omit<PushSubscriptionRegistered['data'], 'registration'>>
/** Does nothing where the browser has registered again since. */
type RevokePushSubscription = Command<'RevokePushSubscription', { registration: number; reason: PushRevokeReason }>
type PushSubscriptionCommand = RegisterPushSubscription | RevokePushSubscription

/** `contactId`: whose browser it is now. `registration` 0: it was never registered. */
export type PushSubscriptionState = Readonly<{
  subscriptionId: string
  contactId: ContactId
  endpointHash: string
  createdAt: string
  registration: number
  isLive: boolean
}>

/** A browser's own stream: one in a workspace, whichever contact it belongs to. */
export function pushSubscriptionStream(workspaceId: WorkspaceId, endpointHash: string): string {
  return `push-${workspaceId}-${endpointHash}`
}

const decide = (command: PushSubscriptionCommand, state: PushSubscriptionState): readonly PushSubscriptionEvent[] => {
  switch (command.type) {
    case 'RegisterPushSubscription': {
      const kept = state.registration === 0 ? {} : { subscriptionId: state.subscriptionId, createdAt: state.createdAt }
      return [{ type: 'PushSubscriptionRegistered', data: { ...command.data, ...kept, registration: state.registration + 1 } }]
    }
    case 'RevokePushSubscription': {
      const { registration, reason } = command.data
      if (!state.isLive || registration !== state.registration) return []
      const { subscriptionId, contactId, endpointHash } = state
      return [{ type: 'PushSubscriptionRevoked', data: { subscriptionId, contactId, endpointHash, registration, reason } }]
    }
    default:
      return command satisfies never
  }
}

const evolve = (state: PushSubscriptionState, event: PushSubscriptionEvent): PushSubscriptionState => {
  switch (event.type) {
    case 'PushSubscriptionRegistered': {
      const { subscriptionId, contactId, endpointHash, createdAt, registration } = event.data
      return { subscriptionId, contactId, endpointHash, createdAt, registration, isLive: true }
    }
    case 'PushSubscriptionRevoked':
      return { ...state, isLive: false }
    default:
      return event satisfies never
  }
}

/** One browser that was registered for web push (contract: Web push). A row of a workspace and an endpoint; it moves between contacts (N152). */
export const pushSubscription: Decider<PushSubscriptionCommand, PushSubscriptionEvent, PushSubscriptionState> = {
  decide,
  evolve,
  carriesState: ({ type }) => type === 'PushSubscriptionRegistered',
  initialState: { subscriptionId: '', contactId: asContactId(''), endpointHash: '', createdAt: '', registration: 0, isLive: false },
}
