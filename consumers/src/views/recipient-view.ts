import type { EventLog, Recorded } from '@tidings/codec'
import type { ContactReader } from '@tidings/directory'
import {
  type ConsentChannel,
  type ConsentStatus,
  type ContactBrowser,
  type ContactEvent,
  type ContactId,
  contactDeclarations,
  contactStream,
  evolveBrowsers,
  reasonsLeft,
  type SuppressionChannel,
  type SuppressionReason,
  type WorkspaceId,
} from '@tidings/domain'
import { createFollowedStates, type LogView } from '@tidings/log-views'

/** The facts that decide whether a contact gets messages. `browsers`: registered for web push. */
export type Recipient = Readonly<{
  exists: boolean
  email: string | null
  phone: string | null
  emailSuppressions: readonly SuppressionReason[]
  smsSuppressions: readonly SuppressionReason[]
  consents: Readonly<Record<ConsentChannel, ConsentStatus>>
  timezone: string | null
  browsers: readonly ContactBrowser[]
}>

/** `find` answers without a promise where the contact is known. A contact whose stream is read by `readStream` is known then. */
export type RecipientView = LogView &
  ContactReader &
  Readonly<{ find: (workspaceId: WorkspaceId, contactId: ContactId) => Recipient | Promise<Recipient> }>

const unknownRecipient: Recipient = {
  exists: false,
  email: null,
  phone: null,
  emailSuppressions: [],
  smsSuppressions: [],
  consents: { email: 'never_subscribed', sms: 'never_subscribed', push: 'never_subscribed' },
  timezone: null,
  browsers: [],
}

/** A recipient takes about 400 bytes with its key. */
const MAX_CONTACTS = 20_000

/** Contacts by id, from the log itself, so that a contact made a moment ago is not missed. */
export function createRecipientView(log: EventLog): RecipientView {
  const types = Object.keys(contactDeclarations) as ContactEvent['type'][]
  const states = createFollowedStates<ContactEvent, Recipient>({ log, types, initial: unknownRecipient, evolve, max: MAX_CONTACTS })
  const eventsOf = (workspaceId: WorkspaceId, stream: string) => log.readStream<ContactEvent>(workspaceId, stream)
  return {
    ...states,
    find: (workspaceId, contactId) => states.get(workspaceId, contactStream(workspaceId, contactId)),
    readStream: async (workspaceId, stream) => {
      let events: readonly Recorded<ContactEvent>[] | null = null
      await states.readBy(workspaceId, stream, async () => {
        events = await eventsOf(workspaceId, stream)
        return events
      })
      return events ?? (await eventsOf(workspaceId, stream))
    },
  }
}

type Reasons = readonly SuppressionReason[]

const suppressed = (state: Recipient, channel: SuppressionChannel, change: (reasons: Reasons) => Reasons): Recipient =>
  channel === 'email'
    ? { ...state, emailSuppressions: change(state.emailSuppressions) }
    : { ...state, smsSuppressions: change(state.smsSuppressions) }

function evolve(state: Recipient, event: Recorded<ContactEvent>): Recipient {
  switch (event.type) {
    case 'ContactCreated':
      return {
        ...unknownRecipient,
        exists: !event.erased,
        email: event.data.email,
        phone: event.data.phone,
        timezone: event.data.timezone ?? null,
      }
    case 'ContactErasureRequested':
      return unknownRecipient
    case 'ContactEmailChanged':
      return { ...state, email: event.data.email }
    case 'ContactPhoneChanged':
      return { ...state, phone: event.data.phone }
    case 'ContactSuppressed':
      return suppressed(state, event.data.channel, (reasons) => [...reasons, event.data.reason])
    case 'ContactSuppressionLifted':
      return suppressed(state, event.data.channel, (reasons) => reasonsLeft(reasons, event))
    case 'ContactConsentRecorded':
      return { ...state, consents: { ...state.consents, [event.data.channel]: event.data.to } }
    case 'ContactBrowserAdded':
    case 'ContactBrowserRemoved':
      return { ...state, browsers: evolveBrowsers(state.browsers, event) }
    case 'ContactDetailsChanged':
      return event.data.timezone === undefined ? state : { ...state, timezone: event.data.timezone }
    default:
      return state
  }
}
