import { waitUntilVisible } from '@tidings/administration'
import { ContactParams, TimelinePage, TimelineQuery } from '@tidings/contracts'
import { asFlowId, asListId } from '@tidings/domain'
import { type App, invalidRequest } from '@tidings/http'
import { type ContactTimelineRow, forWorkspace, type MessageRow, parseTimelinePlace, type WorkspaceQueries } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { namesOf } from '../names.ts'
import { onceBuilt } from '../not-built.ts'
import { knownContact } from './known-contact.ts'
import { timelineEntry } from './timeline-entry.ts'
import { timelineEvents } from './timeline-events.ts'
import { timelinePage } from './timeline-page.ts'

const schema = {
  operationId: 'profiles.readTimeline',
  summary: 'What happened to a person, messages as well, newest first',
  description:
    'By when it happened. The read side is given two seconds to show what the log says of the person; else the answer says `X-Consistency: pending`.',
  tags: ['profiles'],
  params: ContactParams,
  querystring: TimelineQuery,
  response: { 200: TimelinePage },
}

const config = {
  access: 'session',
  dashboard: { role: 'member' },
  waitsForReads: true,
  refusals: ['contact_not_found'],
} as const

type Deps = Pick<DashboardDependencies, 'db' | 'log' | 'readSide'>

/** The rows say in what order; the words are in the events of those that are shown. */
export function readTimeline(app: App, deps: Deps): void {
  app.get('/profiles/:id/timeline', { schema, config }, async ({ tenant: { workspaceId }, params, query }, reply) => {
    const { after = null, limit = 50 } = query
    if (after !== null && parseTimelinePlace(after) === null) throw invalidRequest('after must be the next_cursor of a page')
    const contactId = params.id
    const position = await knownContact(deps, { workspaceId, contactId })
    await waitUntilVisible(deps, reply, { position, projections: ['contact_timeline'] })
    const own = forWorkspace(deps.db, workspaceId)
    const { items, hasMore } = await onceBuilt(timelinePage(own, { contactId, after, limit }))
    const rows = items.flatMap((item) => ('row' in item ? [item.row] : []))
    const messages = items.flatMap((item) => ('message' in item ? [item.message] : []))
    const [events, names] = await Promise.all([timelineEvents(deps.log, rows), namesIn(own, rows, messages)])
    const next = hasMore ? (items.at(-1)?.place ?? null) : null
    return {
      items: items.map((item) => timelineEntry(item, names, events.get(item.place))),
      ...{ limit, total: null, has_more: hasMore, next_cursor: next },
    }
  })
}

const namesIn = (own: WorkspaceQueries, rows: readonly ContactTimelineRow[], messages: readonly MessageRow[]) => {
  const things = (part: string) => rows.flatMap(({ kind, thing_id }) => (kind.startsWith(part) ? [thing_id] : []))
  return namesOf(own, {
    lists: things('list_').map(asListId),
    flows: things('flow_').map(asFlowId),
    templates: messages.map(({ template_id }) => template_id),
    campaigns: messages.map(({ campaign_id }) => campaign_id),
  })
}
