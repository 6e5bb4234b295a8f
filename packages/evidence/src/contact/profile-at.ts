import type { Recorded, StreamReader } from '@tidings/codec'
import { type ContactEvent, type ContactId, type ContactState, evolveContact, unknownContact, type WorkspaceId } from '@tidings/domain'
import { contactEvents, momentOf } from './contact-events.ts'

/** `changes`: the newest moments at which something of the profile changed, before `at` and behind it, oldest first. */
type ProfileAt = Readonly<{ state: ContactState; createdAt: string; changedAt: string; changes: readonly string[] }>

/** So many moments are kept. */
const MOMENTS = 1_000

/** What a profile shows nothing of. */
const UNSEEN: ReadonlySet<string> = new Set<ContactEvent['type']>(['ContactClaimAbandoned', 'ContactBrowserAdded', 'ContactBrowserRemoved'])

type Folding = Readonly<{
  state: ContactState
  createdAt: string | null
  changedAt: string
  moments: readonly string[]
  isGone: boolean
}>
const NOTHING: Folding = { state: unknownContact, createdAt: null, changedAt: '', moments: [], isGone: false }

const withEvent = (known: Folding, event: Recorded<ContactEvent>, at: string | null): Folding => {
  const isGone = known.isGone || event.erased || event.type === 'ContactErasureRequested'
  const moment = momentOf(event)
  const isSeen = !UNSEEN.has(event.type)
  const moments = !isSeen || known.moments.includes(moment) ? known.moments : [...known.moments, moment].slice(-MOMENTS)
  if (at !== null && moment > at) return { ...known, moments, isGone }
  return {
    state: evolveContact(known.state, event),
    createdAt: event.type === 'ContactCreated' ? moment : known.createdAt,
    changedAt: isSeen && moment > known.changedAt ? moment : known.changedAt,
    moments,
    isGone,
  }
}

/**
 * A contact's profile now, or as it was at the moment `at`, from the log itself. Null where it did not exist then, and from the request to erase it on.
 * Times are compared as in `consentAt`: a statement counts from when it was given.
 */
export async function readProfile(
  log: StreamReader,
  { at, ...of }: Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; at: string | null }>,
): Promise<ProfileAt | null> {
  let known = NOTHING
  for await (const event of contactEvents(log, of)) known = withEvent(known, event, at)
  const { state, createdAt, changedAt, moments, isGone } = known
  return isGone || createdAt === null ? null : { state, createdAt, changedAt, changes: moments.toSorted() }
}
