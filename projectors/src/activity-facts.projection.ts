import type { Recorded } from '@tidings/codec'
import { type ActivityRecorded, inNfc, isPropertyName, isShownEventName, type WorkspaceId } from '@tidings/domain'
import { defineProjection, defineTable, type Rows, row } from '@tidings/projections'
import { type ActivityFactsRow, type ObservedEventRow, type ObservedEventTotalRow, withRecent } from '@tidings/read-models'
import { type Erasure, isErasure, rowsOfContact } from './erasure.ts'

/** Names of the catalogue that a workspace can bring up by reporting them, and property names of each. */
const MAX_OBSERVED_EVENTS = 1_000
const MAX_OBSERVED_PROPERTIES = 100
/** Places for names that were reported once: with fewer, two names that take turns would drop each other, and none was ever reported again. */
const MIN_ONCE = 200

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
  columns: {
    workspace_id: 'uuid',
    names: 'bigint',
    once: 'text[]',
    again: 'text[]',
    ignored_names: 'bigint',
    ignored_properties: 'bigint',
  },
  key: ['workspace_id'],
  fillfactor: 50,
})

/**
 * The facts about activities of a contact that rules read, and the custom events that the catalogue shows. Names are in NFC, whatever form a log from before
 * M46 has. Every activity is recorded once, so that each
 * counts. An erased person's facts are gone.
 *
 * A catalogue that is full takes what is new, and drops for it the name that came first among those that were reported once, where these are
 * 200 or more, else among the others; one that is still in use comes again by its next report. So a thousand made-up names hide the real ones
 * for that long at most.
 */
export const activityFactsProjection = defineProjection<ActivityRecorded | Erasure>({
  name: 'activity_facts',
  version: 4,
  tables: [activityFacts, observedEvents, observedEventTotals],
  personal: [],
  reads: (recorded) => {
    if (isErasure(recorded)) return [rowsOfContact(activityFacts, recorded)]
    const { contactId, source } = recorded.data
    const event = inNfc(recorded.data.event)
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
  { meta: { workspaceId, at }, position, data: { contactId, event: name, occurredAt } }: Recorded<ActivityRecorded>,
  rows: Rows,
): void => {
  const event = inNfc(name)
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

const observe = (workspaceId: WorkspaceId, { event: name, propertyNames }: Activity, rows: Rows): void => {
  const event = inNfc(name)
  const known = rows.get(observedEvents, workspaceId, event)
  const before = rows.get(observedEventTotals, workspaceId) ?? {
    workspace_id: workspaceId,
    names: 0n,
    once: [],
    again: [],
    ignored_names: 0n,
    ignored_properties: 0n,
  }
  if (!isShownEventName(event)) {
    rows.put(observedEventTotals, { ...before, ignored_names: before.ignored_names + 1n })
    return
  }
  const seen = known?.properties ?? []
  const { names, dropped } = withNames(seen, propertyNames.map(inNfc).filter(isPropertyName))
  if (known === undefined || names !== seen) rows.put(observedEvents, { workspace_id: workspaceId, name: event, properties: names })
  const after = known === undefined ? withEvent(before, event, rows) : seenAgain(before, event)
  if (after !== before || dropped > 0)
    rows.put(observedEventTotals, { ...after, ignored_properties: after.ignored_properties + BigInt(dropped) })
}

type Totals = ObservedEventTotalRow

const withEvent = (totals: Totals, event: string, rows: Rows): Totals => {
  const { workspace_id, once, again, ignored_names } = totals
  if (once.length + again.length < MAX_OBSERVED_EVENTS) return counted({ ...totals, once: [...once, event] })
  const isOfOnce = once.length >= MIN_ONCE || again.length === 0
  const [oldest = ''] = isOfOnce ? once : again
  rows.delete(observedEvents, workspace_id, oldest)
  const left = isOfOnce ? { once: once.slice(1), again } : { once, again: again.slice(1) }
  return counted({ ...totals, again: left.again, once: [...left.once, event], ignored_names: ignored_names + 1n })
}

/** The same object where it was seen again before. */
const seenAgain = (totals: Totals, event: string): Totals => {
  const at = totals.once.indexOf(event)
  return at === -1 ? totals : counted({ ...totals, once: totals.once.toSpliced(at, 1), again: [...totals.again, event] })
}

const counted = (totals: Totals): Totals => ({ ...totals, names: BigInt(totals.once.length + totals.again.length) })

/** The names with those that are new behind them; the first ones go for them. The same array where none is new. */
const withNames = (seen: readonly string[], reported: readonly string[]): Readonly<{ names: readonly string[]; dropped: number }> => {
  const unseen = reported.filter((name, at) => !seen.includes(name) && reported.indexOf(name) === at)
  if (unseen.length === 0) return { names: seen, dropped: 0 }
  const all = [...seen, ...unseen]
  const dropped = Math.max(0, all.length - MAX_OBSERVED_PROPERTIES)
  return { names: all.slice(dropped), dropped }
}
