import type { EventLog } from '@tidings/codec'
import { type ContactEvent, contactDeclarations, contactStream, type SuppressionChannel, type SuppressionReason } from '@tidings/domain'
import { createFollowedStates, type LogView } from '@tidings/log-views'

/** What decides whether a contact gets a message. */
export type Recipient = Readonly<{
  exists: boolean
  email: string | null
  emailSuppressions: readonly SuppressionReason[]
  smsSuppressions: readonly SuppressionReason[]
}>

/** `find` answers without a promise where the contact is known. */
export type RecipientView = LogView & Readonly<{ find: (workspaceId: string, contactId: string) => Recipient | Promise<Recipient> }>

const unknownRecipient: Recipient = { exists: false, email: null, emailSuppressions: [], smsSuppressions: [] }

/** About 300 bytes each with its key. */
const MAX_CONTACTS = 20_000

/** Contacts by id, from the log itself, so that a contact made a moment ago is not missed. */
export function createRecipientView(log: EventLog): RecipientView {
  const types = Object.keys(contactDeclarations) as ContactEvent['type'][]
  const states = createFollowedStates<ContactEvent, Recipient>({ log, types, initial: unknownRecipient, evolve, max: MAX_CONTACTS })
  return { ...states, find: (workspaceId, contactId) => states.get(workspaceId, contactStream(workspaceId, contactId)) }
}

function evolve(state: Recipient, event: ContactEvent): Recipient {
  switch (event.type) {
    case 'ContactCreated':
      return { ...unknownRecipient, exists: true, email: event.data.email }
    case 'ContactEmailChanged':
      return { ...state, email: event.data.email }
    case 'ContactSuppressed':
      return suppressed(state, event.data.channel, (reasons) => [...reasons, event.data.reason])
    case 'ContactSuppressionLifted':
      return suppressed(state, event.data.channel, () => [])
    default:
      return state
  }
}

type Reasons = readonly SuppressionReason[]

function suppressed(state: Recipient, channel: SuppressionChannel, change: (reasons: Reasons) => Reasons): Recipient {
  switch (channel) {
    case 'email':
      return { ...state, emailSuppressions: change(state.emailSuppressions) }
    case 'sms':
      return { ...state, smsSuppressions: change(state.smsSuppressions) }
    default:
      return state
  }
}
