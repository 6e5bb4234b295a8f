import type { ActivityRecorded, DomainEvent } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import { recentIn } from '@tidings/read-models'
import { describe, expect, test } from 'vitest'
import { recorded, WORKSPACE } from '../test/recorded.ts'
import { activityFactsProjection } from './activity-facts.projection.ts'

type AnyTable = (typeof activityFactsProjection)['tables'][number]

const contactId = '0192f0c1-0000-7000-8000-0000000000aa'
const activity = (changes: Partial<ActivityRecorded['data']> = {}): DomainEvent => ({
  type: 'ActivityRecorded',
  data: {
    ...{ activityId: 'a', contactId, event: 'viewed', source: 'api', occurredAt: '2026-01-02T00:00:00.000Z' },
    ...{ properties: {}, propertyNames: [], ...changes },
  },
})
const rowsOf = (events: readonly DomainEvent[]) => foldAll(activityFactsProjection, recorded(events))
const observed = (events: readonly DomainEvent[]) => rowsOf(events).observed_events as readonly { name: string; properties: string[] }[]
const totals = (events: readonly DomainEvent[]) => rowsOf(events).observed_event_totals?.[0]

/** As `foldAll`, without a cache of rows for each event: for a thousand of them. */
const rowsInMemory = (events: readonly DomainEvent[]): Readonly<Record<string, readonly object[]>> => {
  const tables = new Map(activityFactsProjection.tables.map((table) => [table.name, new Map<string, object>()]))
  const keyOf = (table: AnyTable, row: object) => table.key.map((column) => new Map(Object.entries(row)).get(column)).join('|')
  const put = (table: AnyTable, row: object) => void tables.get(table.name)?.set(keyOf(table, row), row)
  const get = (table: AnyTable, ...key: readonly string[]) => tables.get(table.name)?.get(key.join('|')) as never
  const none = { all: () => [], delete: () => undefined, deleteAll: () => undefined }
  for (const event of recorded(events)) activityFactsProjection.fold(event, { get, put, create: put, ...none })
  return Object.fromEntries([...tables].map(([name, rows]) => [name, [...rows.values()]]))
}

describe('the facts of a contact', () => {
  test('are how many activities of a name there are, and when the last occurred, whatever came late', () => {
    const late = activity({ occurredAt: '2026-01-01T00:00:00.000Z' })
    expect(rowsOf([activity({ event: 'paid' }), activity(), late]).activity_facts).toEqual([
      {
        workspace_id: WORKSPACE,
        contact_id: contactId,
        event: 'paid',
        count: 1n,
        last_at: '2026-01-02T00:00:00.000Z',
        recent: expect.any(String),
      },
      {
        workspace_id: WORKSPACE,
        contact_id: contactId,
        event: 'viewed',
        count: 2n,
        last_at: '2026-01-02T00:00:00.000Z',
        recent: expect.any(String),
      },
    ])
  })

  test('have the last activities with their places in the log, and no more than eight', () => {
    const recentOf = (events: readonly DomainEvent[]) =>
      recentIn((rowsOf(events).activity_facts as readonly Readonly<{ recent: string }>[] | undefined)?.[0]?.recent)
    const late = activity({ occurredAt: '2026-01-01T00:00:00.000Z' })
    const all = recorded([activity(), late])
    expect(recentOf([activity(), late])).toEqual(
      all.map(({ position, meta, data }) => ({
        position,
        at: Date.parse(meta.at),
        occurredAt: Date.parse((data as ActivityRecorded['data']).occurredAt),
      })),
    )
    const many = Array.from({ length: 12 }, () => activity())
    expect(recentOf(many).map(({ position }) => position)).toEqual(
      recorded(many)
        .slice(-8)
        .map(({ position }) => position),
    )
    expect(recentIn(undefined)).toEqual([])
  })
})

describe('the catalogue', () => {
  test('has each property of an event once, in the order in which they were seen', () => {
    const events = [activity({ propertyNames: ['b', 'a'] }), activity({ propertyNames: ['a', 'c'] })]
    expect(observed(events)).toEqual([{ workspace_id: WORKSPACE, name: 'viewed', properties: ['b', 'a', 'c'] }])
  })

  test('has custom events alone', () => {
    const events = [activity({ event: 'order.completed', source: 'store' }), activity({ event: 'cart.abandoned', source: 'service' })]
    expect(observed(events)).toEqual([])
  })

  test('takes a thousand names; more are counted each time, and those it has go on', () => {
    const events = Array.from({ length: 1_002 }, (_, n) => activity({ event: `event-${n}` }))
    const more = [activity({ event: 'event-1001' }), activity({ event: 'event-7', propertyNames: ['new'] })]
    const tables = rowsInMemory([...events, ...more])
    expect(tables.observed_events).toHaveLength(1_000)
    expect(tables.observed_events?.[7]).toMatchObject({ name: 'event-7', properties: ['new'] })
    expect(tables.observed_event_totals).toMatchObject([{ names: 1_000n, ignored_names: 3n }])
  })

  test('takes a hundred properties of an event; more are counted each time', () => {
    const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `p${from + n}`)
    const events = [
      activity({ propertyNames: names(0, 90) }),
      activity({ propertyNames: names(80, 130) }),
      activity({ propertyNames: ['p129'] }),
    ]
    expect(observed(events)[0]?.properties).toEqual(names(0, 100))
    expect(totals(events)).toMatchObject({ names: 1n, ignored_properties: 31n })
  })
})
