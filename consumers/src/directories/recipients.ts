import type { EventLog } from '@tidings/codec'
import type { LogFollower } from '@tidings/commands'
import { type ContactEvent, contactDeclarations, contactStream, type SuppressionReason } from '@tidings/domain'
import { followedStates } from './followed-states.ts'

/** What the send gates ask about a contact. */
export type Recipient = Readonly<{ exists: boolean; email: string | null; emailSuppressions: readonly SuppressionReason[] }>

/** `find` answers at once where the contact is known, and never from before the events that this process heard. */
export type Recipients = Readonly<{ find: (workspaceId: string, contactId: string) => Recipient | Promise<Recipient> }>

const nobody: Recipient = { exists: false, email: null, emailSuppressions: [] }

/** About 300 bytes each with its key. */
const MAX = 20_000

/** Contacts by id, from the log itself, so that a contact made a moment ago is never missed. */
export function recipientsFromLog({ log, follower }: Readonly<{ log: EventLog; follower: LogFollower }>): Recipients {
  // Every type of a contact's events: what is left out would look like a gap in its revisions.
  const types = Object.keys(contactDeclarations) as ContactEvent['type'][]
  const states = followedStates<ContactEvent, Recipient>({ log, follower, types, initial: nobody, evolve, max: MAX })
  return { find: (workspaceId, contactId) => states.get(workspaceId, contactStream(workspaceId, contactId)) }
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
