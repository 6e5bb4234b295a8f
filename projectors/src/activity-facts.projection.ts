import type { Recorded } from '@tidings/codec'
import type { ActivityRecorded } from '@tidings/domain'
import { defineProjection, defineTable, type Rows, row } from '@tidings/projections'
import { type ActivityFactsRow, type ObservedEventRow, type ObservedEventTotalRow, withRecent } from '@tidings/read-models'
import { type Erasure, isErasure, rowsOfContact } from './erasure.ts'

/** Names of the catalogue that a workspace can bring up by reporting them, and property names of each. */
const MAX_OBSERVED_EVENTS = 1_000n
const MAX_OBSERVED_PROPERTIES = 100

const activityFacts = defineTable<ActivityFactsRow<string>>({
  name: 'activity_facts',
  columns: { workspace_id: 'uuid', contact_id: 'uuid', event: 'text', count: 'bigint', last_at: 'timestamptz', recent: 'text' },
  key: ['workspace_id', 'contact_id', 'event'],
  cachedRows: 10_000,
  fillfactor: 80,
})

const observedEvents = defineTable<ObservedEventRow>({
  name: 'observed_events',
  columns: { workspace_id: 'uuid', name: 'text', properties: 'text[]' },
  key: ['workspace_id', 'name'],
})

const observedEventTotals = defineTable<ObservedEventTotalRow>({
  name: 'observed_event_totals',
  columns: { workspace_id: 'uuid', names: 'bigint', ignored_names: 'bigint', ignored_properties: 'bigint' },
  key: ['workspace_id'],
  fillfactor: 50,
})

/**
 * What rules ask of the activities of a contact, and what the catalogue shows of custom events. Every activity is recorded once, so that each
 * counts. The catalogue is full at its bounds: more is counted and not shown. An erased person's facts are gone.
 */
export const activityFactsProjection = defineProjection<ActivityRecorded | Erasure>({
  name: 'activity_facts',
  version: 2,
  tables: [activityFacts, observedEvents, observedEventTotals],
  personal: [],
  reads: (recorded) => {
    if (isErasure(recorded)) return [rowsOfContact(activityFacts, recorded)]
    const { contactId, event, source } = recorded.data
    const { workspaceId } = recorded.meta
    const facts = row(activityFacts, workspaceId, contactId, event)
    if (source !== 'api') return [facts]
    return [facts, row(observedEvents, workspaceId, event), row(observedEventTotals, workspaceId)]
  },
  on: {
    ActivityRecorded: (event, rows) => {
      count(event, rows)
      if (event.data.source === 'api') observe(event.meta.workspaceId, event.data, rows)
    },
    ContactErasureRequested: (event, rows) => rows.deleteAll(rowsOfContact(activityFacts, event)),
    ContactErased: (event, rows) => rows.deleteAll(rowsOfContact(activityFacts, event)),
  },
})

type Activity = ActivityRecorded['data']

/** A store may report late what occurred earlier. */
const count = (
  { meta: { workspaceId, at }, position, data: { contactId, event, occurredAt } }: Recorded<ActivityRecorded>,
  rows: Rows,
): void => {
  const known = rows.get(activityFacts, workspaceId, contactId, event)
  rows.put(activityFacts, {
    workspace_id: workspaceId,
    contact_id: contactId,
    event,
    count: (known?.count ?? 0n) + 1n,
    last_at: known !== undefined && known.last_at > occurredAt ? known.last_at : occurredAt,
    recent: withRecent(known?.recent ?? '', { position, at: Date.parse(at), occurredAt: Date.parse(occurredAt) }),
  })
}

const observe = (workspaceId: string, { event, propertyNames }: Activity, rows: Rows): void => {
  const known = rows.get(observedEvents, workspaceId, event)
  const totals = rows.get(observedEventTotals, workspaceId) ?? {
    workspace_id: workspaceId,
    names: 0n,
    ignored_names: 0n,
    ignored_properties: 0n,
  }
  if (known === undefined && totals.names >= MAX_OBSERVED_EVENTS) {
    rows.put(observedEventTotals, { ...totals, ignored_names: totals.ignored_names + 1n })
    return
  }
  const seen = known?.properties ?? []
  const unseen = propertyNames.filter((name) => !seen.includes(name))
  const taken = unseen.slice(0, MAX_OBSERVED_PROPERTIES - seen.length)
  if (known === undefined || taken.length > 0)
    rows.put(observedEvents, { workspace_id: workspaceId, name: event, properties: [...seen, ...taken] })
  const ignored = BigInt(unseen.length - taken.length)
  if (known === undefined || ignored > 0n)
    rows.put(observedEventTotals, {
      ...totals,
      names: totals.names + (known === undefined ? 1n : 0n),
      ignored_properties: totals.ignored_properties + ignored,
    })
}
