import { asListId, type ContactId } from '@tidings/domain'
import { timelinePlace, type WorkspaceQueries } from '@tidings/read-models'
import { namesOf } from '../names.ts'

/** Lists that a page shows, and moments at which a person came onto one or left one. */
const SHOWN = 1_000

type ListThen = Readonly<{ id: string; name: string | null; since: string }>

/** Sorts behind all that happened up to the moment. */
const behind = (at: string): string =>
  timelinePlace({ at: new Date(Date.parse(at) + 1).toISOString(), thingId: '00000000-0000-0000-0000-000000000000', revision: 0 })

const changesOfLists = (own: WorkspaceQueries, contactId: ContactId) =>
  own.contactTimeline().where('contact_id', '=', contactId).where('kind', 'in', ['list_joined', 'list_left'])

/** The lists that a person was on at a moment, by name, and the newest moments at which that changed. */
export async function listsAt(
  own: WorkspaceQueries,
  { contactId, at }: Readonly<{ contactId: ContactId; at: string }>,
): Promise<Readonly<{ lists: ListThen[]; changes: readonly string[] }>> {
  const last = changesOfLists(own, contactId)
    .distinctOn('thing_id')
    .select(['thing_id', 'kind', 'at'])
    .where('place', '<', behind(at))
    .orderBy('thing_id')
    .orderBy('place', 'desc')
    .limit(10 * SHOWN)
  const moments = changesOfLists(own, contactId).select('at').orderBy('place', 'desc').limit(SHOWN)
  const [rows, changed] = await Promise.all([last.execute(), moments.execute()])
  const joined = rows.filter(({ kind }) => kind === 'list_joined')
  const names = await namesOf(own, { lists: joined.map(({ thing_id }) => asListId(thing_id)) })
  const lists = joined
    .map(({ thing_id: id, at: since }) => ({ id, name: names.get(id) ?? null, since: since.toISOString() }))
    .toSorted((one, other) => (one.name ?? '').localeCompare(other.name ?? '') || (one.id < other.id ? -1 : 1))
  return { lists: lists.slice(0, SHOWN), changes: changed.map((row) => row.at.toISOString()) }
}
