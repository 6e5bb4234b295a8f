import type { Recorded } from '@tidings/codec'
import {
  type ConsentChannel,
  type ContactEvent,
  type ContactId,
  type ContactState,
  changedFacts,
  contact,
  contactStream,
  type EventFacts,
  factsOfState,
  type RuleFacts,
  saidAt,
  type WorkspaceId,
} from '@tidings/domain'

/** A contact as the log has it now. */
export type KnownContact = Readonly<{ state: ContactState; events: readonly Recorded<ContactEvent>[] }>

/** Reads the streams of contacts: the log, or what remembers what it reads of it. */
export type ContactReader = Readonly<{
  readStream: (workspaceId: WorkspaceId, stream: string) => Promise<readonly Recorded<ContactEvent>[]>
}>

/** Null where there is none, or not any more. */
export async function readContact(
  log: ContactReader,
  { workspaceId, contactId }: Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>,
): Promise<KnownContact | null> {
  const events = await log.readStream(workspaceId, contactStream(workspaceId, contactId))
  const state = events.reduce<ContactState>(contact.evolve, contact.initialState)
  return state.exists && !events.some(({ erased }) => erased) ? { state, events } : null
}

/** The facts that a rule reads, in the words of the profile. `counted`: of the events that the rule reads. */
export function factsOf({ state, events }: KnownContact, counted: ReadonlyMap<string, EventFacts>): RuleFacts {
  const consentAt = (channel: ConsentChannel): number | null => {
    const said = events.findLast((event) => event.type === 'ContactConsentRecorded' && event.data.channel === channel)
    return said?.type === 'ContactConsentRecorded' ? Date.parse(saidAt(said)) : null
  }
  const { tags, customProperties, ...profile } = factsOfState(state, {
    email: consentAt('email'),
    sms: consentAt('sms'),
    push: consentAt('push'),
  })
  return {
    profile: {
      id: state.contactId,
      ...profile,
      rfmTier: null,
      createdAt: timeOf(events.find(({ type }) => type === 'ContactCreated')),
      updatedAt: timeOf(events.findLast((event) => changedFacts(event).length > 0)),
    },
    tags,
    customProperties,
    events: counted,
  }
}

const timeOf = (event: Recorded | undefined): number | null => (event === undefined ? null : Date.parse(event.meta.at))
