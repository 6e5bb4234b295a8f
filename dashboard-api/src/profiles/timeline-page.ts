import type { ContactId } from '@tidings/domain'
import {
  type ContactTimelineRow,
  type MessageRow,
  type PlaceInTimeline,
  parseTimelinePlace,
  timelinePlace,
  type WorkspaceQueries,
} from '@tidings/read-models'
import { sql } from 'kysely'

/** `place` sorts all that happened to a person, messages as well. */
export type TimelineItem = Readonly<{ place: string }> & (Readonly<{ row: ContactTimelineRow }> | Readonly<{ message: MessageRow }>)

type WantedPage = Readonly<{ contactId: ContactId; after: string | null; limit: number }>

/** A page of what happened to a person, newest first, and whether more follows. `after`: the place of the last one of the page before. */
export async function timelinePage(
  own: WorkspaceQueries,
  { contactId, after, limit }: WantedPage,
): Promise<Readonly<{ items: readonly TimelineItem[]; hasMore: boolean }>> {
  const before = after === null ? null : parseTimelinePlace(after)
  const of = { contactId, limit: limit + 1 }
  const [rows, messages] = await Promise.all([rowsBefore(own, { ...of, place: after }), messagesBefore(own, { ...of, before })])
  const all = [
    ...rows.map((row) => ({ place: row.place, row })),
    ...messages.map((message) => ({ place: placeOf(message), message })),
  ].toSorted((one, other) => (one.place < other.place ? 1 : -1))
  return { items: all.slice(0, limit), hasMore: all.length > limit }
}

type WantedItems = Readonly<{ contactId: ContactId; limit: number }>

const rowsBefore = (own: WorkspaceQueries, { contactId, limit, place }: WantedItems & Readonly<{ place: string | null }>) => {
  const all = own.contactTimeline().selectAll().where('contact_id', '=', contactId)
  const older = place === null ? all : all.where('place', '<', place)
  return older.orderBy('place', 'desc').limit(limit).execute()
}

const messagesBefore = (
  own: WorkspaceQueries,
  { contactId, limit, before }: WantedItems & Readonly<{ before: PlaceInTimeline | null }>,
) => {
  const all = own.messages().selectAll().where('contact_id', '=', contactId)
  const older = before === null ? all : all.where(sql<boolean>`(queued_at, id) < (${before.at}::timestamptz, ${before.thingId}::uuid)`)
  return older.orderBy('queued_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

const placeOf = ({ queued_at, id }: MessageRow): string => timelinePlace({ at: queued_at.toISOString(), thingId: id, revision: 0 })
