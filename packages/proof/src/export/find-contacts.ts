import { OperationFailed } from '@tidings/config'
import type { WorkspaceId } from '@tidings/domain'
import { comparePositions, type EventStore, type Position } from '@tidings/event-store'

/** More would not fit in the verifier's memory. */
const MAX_CONTACTS = 20_000
const PAGE = 2_000

type ContactSearch = Readonly<{
  store: Pick<EventStore, 'readAll'>
  workspaceId: WorkspaceId
  end: Position
  onEvents: (count: number) => void
}>

/** Every contact of the workspace that ever had a consent, erased ones too: from the log itself, up to `end`. */
export async function contactsWithConsent({ store, workspaceId, end, onEvents }: ContactSearch): Promise<readonly string[]> {
  const prefix = `contact-${workspaceId}-`
  const found = new Set<string>()
  let [after, done]: [Position | 'start', boolean] = ['start', false]
  while (!done) {
    const { events, to, caughtUp } = await store.readAll(after, PAGE)
    for (const { stream, type, position } of events) {
      if (type === 'ContactConsentRecorded' && stream.startsWith(prefix) && comparePositions(position, end) <= 0)
        found.add(stream.slice(prefix.length))
    }
    if (found.size > MAX_CONTACTS)
      throw new OperationFailed(
        `More than ${MAX_CONTACTS} contacts have consents, too many for one proof: export them one by one with --id.`,
      )
    onEvents(events.length)
    done = caughtUp || comparePositions(to, end) >= 0
    after = to
  }
  return [...found].toSorted()
}
