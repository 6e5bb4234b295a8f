import type { Recorded, StreamReader } from '@tidings/codec'
import {
  type ActivityEvent,
  activityStream,
  asFlowId,
  asListId,
  bucketOf,
  type ContactEvent,
  contactStream,
  type EnrolmentEvent,
  enrolmentStream,
  type MembersEvent,
  membersStream,
  type SignUpEvent,
  signUpStream,
} from '@tidings/domain'
import type { ContactTimelineRow } from '@tidings/read-models'
import pLimit from 'p-limit'

export type TimelineEvent = ContactEvent | MembersEvent | EnrolmentEvent | ActivityEvent | SignUpEvent

/** The events of a page's rows, by the row's place. A row whose event the log gives no more, or whose person is erased, has none. */
export type TimelineEvents = ReadonlyMap<string, Recorded<TimelineEvent>>

/** Reads at a time: a page may be of fifty streams. */
const READS = 8
/** Rows of one stream that are so near are read together, with what lies between. */
const NEAR = 16

type Run = Readonly<{ stream: string; from: number; to: number }>

export async function timelineEvents(log: StreamReader, rows: readonly ContactTimelineRow[]): Promise<TimelineEvents> {
  const [workspaceId] = rows.map(({ workspace_id }) => workspace_id)
  if (workspaceId === undefined) return new Map()
  const reads = pLimit(READS)
  const read = runsOf(rows).map(({ stream, from, to }) =>
    reads(() => log.readStream<TimelineEvent>(workspaceId, stream, { from, limit: to - from + 1, pastLimits: true })),
  )
  const found = (await Promise.all(read)).flat().filter(({ erased }) => !erased)
  const byName = new Map(found.map((event) => [nameOf(event), event]))
  return new Map(
    rows.flatMap((row) => {
      const event = byName.get(nameOf({ stream: streamOf(row), revision: row.revision }))
      return event === undefined ? [] : [[row.place, event]]
    }),
  )
}

const nameOf = ({ stream, revision }: Readonly<{ stream: string; revision: number }>): string => `${stream} ${revision}`

const runsOf = (rows: readonly ContactTimelineRow[]): readonly Run[] => {
  const runs: Run[] = []
  for (const [stream, ofStream] of Map.groupBy(rows, streamOf))
    for (const { revision } of ofStream.toSorted((one, other) => one.revision - other.revision)) {
      const last = runs.at(-1)
      if (last?.stream === stream && revision - last.to <= NEAR) runs.splice(-1, 1, { ...last, to: revision })
      else runs.push({ stream, from: revision, to: revision })
    }
  return runs
}

const streamOf = ({ workspace_id, contact_id, kind, thing_id }: ContactTimelineRow): string => {
  switch (kind) {
    case 'list_joined':
    case 'list_left':
      return membersStream(workspace_id, asListId(thing_id), bucketOf(contact_id))
    case 'flow_entered':
    case 'flow_left':
      return enrolmentStream(workspace_id, asFlowId(thing_id), contact_id)
    case 'event':
      return activityStream(workspace_id, thing_id)
    case 'form_submitted':
    case 'sign_up_confirmed':
      return signUpStream(workspace_id, thing_id)
    default:
      return contactStream(workspace_id, contact_id)
  }
}
