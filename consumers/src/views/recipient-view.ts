import type { EventLog } from '@tidings/codec'
import { type ContactEvent, contactDeclarations, contactStream, type SuppressionReason } from '@tidings/domain'
import { createFollowedStates, type LogView } from '@tidings/log-views'

/** What decides whether a contact gets mail. */
export type Recipient = Readonly<{ exists: boolean; email: string | null; emailSuppressions: readonly SuppressionReason[] }>

/** `find` answers without a promise where the contact is known. */
export type RecipientView = LogView & Readonly<{ find: (workspaceId: string, contactId: string) => Recipient | Promise<Recipient> }>

const unknownRecipient: Recipient = { exists: false, email: null, emailSuppressions: [] }

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
      return { exists: true, email: event.data.email, emailSuppressions: [] }
    case 'ContactEmailChanged':
      return { ...state, email: event.data.email }
    case 'ContactSuppressed':
      return event.data.channel === 'email' ? { ...state, emailSuppressions: [...state.emailSuppressions, event.data.reason] } : state
    case 'ContactSuppressionLifted':
      return event.data.channel === 'email' ? { ...state, emailSuppressions: [] } : state
    default:
      return state
  }
}
