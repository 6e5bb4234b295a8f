import type { EventMeta, Recorded, StreamReader } from '@tidings/codec'
import {
  bucketOf,
  type ContactAddedToList,
  type ContactEvent,
  type ContactId,
  contactStream,
  type ListId,
  type MembersEvent,
  membersStream,
  UNCONFIRMED_SIGN_UP,
  type WorkspaceId,
} from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'

type Log = StreamReader
type Person = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>

/** A bucket has some tens of members. */
const MEMBERSHIPS = 500

/**
 * Whether the sign-up is the first that the contact confirmed, and a sign-up created the contact: then `contact_created` flows are entered (M56). A
 * confirmation records its consent in the same request and moment. On a log that writes one stream at a time, a crash between both enters none.
 */
export async function isFirstConfirmation(
  log: Log,
  person: Person,
  { meta: { requestId, at } }: Readonly<{ meta: EventMeta }>,
): Promise<boolean> {
  const events = await eventsOf(log, person)
  const first = events.find((event) => event.type === 'ContactConsentRecorded' && event.data.source === 'embedded_form')
  return isOfSignUp(events) && first?.meta.requestId === requestId && first.meta.at === at
}

/** Whether a sign-up created the contact, and it had not subscribed at that place of the log: what a rule added then is no entry yet (M56). */
export async function wasUnconfirmed(log: Log, person: Person, position: Position): Promise<boolean> {
  return isUnconfirmedAt(await eventsOf(log, person), position)
}

/** The memberships by rule that the contact got before it had subscribed, on those of the lists that it is on. */
export async function joinedUnconfirmed(
  log: Log,
  person: Person,
  listIds: readonly ListId[],
): Promise<readonly Recorded<ContactAddedToList>[]> {
  const events = await eventsOf(log, person)
  const last = await Promise.all(listIds.map((listId) => lastMembership(log, person, listId)))
  return last.flatMap((event) =>
    event !== null && isAdded(event) && isByRule(event) && isUnconfirmedAt(events, event.position) ? [event] : [],
  )
}

/** Whether a rule added the contact, and no request. */
export function isByRule({ data }: Recorded<ContactAddedToList>): boolean {
  return data.reason !== 'request'
}

const eventsOf = (log: Log, { workspaceId, contactId }: Person): Promise<readonly Recorded<ContactEvent>[]> =>
  log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId))

const isOfSignUp = (events: readonly Recorded<ContactEvent>[]): boolean =>
  events.some((event) => event.type === 'ContactCreated' && event.data.source === UNCONFIRMED_SIGN_UP)

const isUnconfirmedAt = (events: readonly Recorded<ContactEvent>[], position: Position): boolean => {
  const first = events.find((event) => event.type === 'ContactConsentRecorded' && event.data.to === 'subscribed')
  return isOfSignUp(events) && (first === undefined || comparePositions(position, first.position) < 0)
}

const lastMembership = async (log: Log, { workspaceId, contactId }: Person, listId: ListId): Promise<Recorded<MembersEvent> | null> => {
  const stream = membersStream(workspaceId, listId, bucketOf(contactId))
  const events = await log.readStream<MembersEvent>(workspaceId, stream, { direction: 'backwards', limit: MEMBERSHIPS })
  return events.find(({ data }) => data.contactId === contactId) ?? null
}

const isAdded = (event: Recorded<MembersEvent>): event is Recorded<ContactAddedToList> => event.type === 'ContactAddedToList'
