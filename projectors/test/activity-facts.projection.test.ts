import { type ActivityRecorded, asContactId, type DomainEvent } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import { recentIn } from '@tidings/read-models'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { activityFactsProjection } from '../src/activity-facts.projection.ts'
import { recorded, WORKSPACE } from './recorded.ts'

type AnyTable = (typeof activityFactsProjection)['tables'][number]

const contactId = asContactId('0192f0c1-0000-7000-8000-0000000000aa')
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

/** Like `foldAll`, without a cache of rows for each event: for thousands of them. */
const rowsInMemory = (events: readonly DomainEvent[]): Readonly<Record<string, readonly object[]>> => {
  const tables = new Map(activityFactsProjection.tables.map((table) => [table.name, new Map<string, object>()]))
  const keyOf = (table: AnyTable, row: object) => table.key.map((column) => new Map(Object.entries(row)).get(column)).join('|')
  const put = (table: AnyTable, row: object) => void tables.get(table.name)?.set(keyOf(table, row), row)
  const get = (table: AnyTable, ...key: readonly string[]) => tables.get(table.name)?.get(key.join('|')) as never
  const drop = (table: AnyTable, ...key: readonly string[]) => void tables.get(table.name)?.delete(key.join('|'))
  const none = { all: () => [], deleteAll: () => undefined }
  for (const event of recorded(events)) activityFactsProjection.fold(event, { get, put, create: put, delete: drop, ...none })
  return Object.fromEntries([...tables].map(([name, rows]) => [name, [...rows.values()]]))
}
const namesIn = (tables: ReturnType<typeof rowsInMemory>): readonly string[] =>
  (tables.observed_events as readonly { name: string }[]).map(({ name }) => name)

describe('the facts of a contact', () => {
  test('count a name in whatever form it was recorded as one', () => {
    const rows = rowsOf([
      activity({ event: 'cafe\u0301', propertyNames: ['tailE\u0301'] }),
      activity({ event: 'caf\u00e9', propertyNames: ['tail\u00c9'] }),
    ])
    expect(rows.activity_facts).toMatchObject([{ event: 'caf\u00e9', count: 2n }])
    expect(rows.observed_events).toEqual([{ workspace_id: WORKSPACE, name: 'caf\u00e9', properties: ['tail\u00c9'] }])
  })

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

  const madeUp = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => activity({ event: `made-up-${from + n}` }))

  test('has a thousand names, and drops the one that came first for what is new', () => {
    const tables = rowsInMemory([...madeUp(0, 1_002), activity({ event: 'made-up-7', propertyNames: ['new'] })])
    const names = namesIn(tables)
    expect(names).toHaveLength(1_000)
    expect(names).not.toContain('made-up-1')
    expect(names).toContain('made-up-1001')
    expect(tables.observed_events).toContainEqual({ workspace_id: WORKSPACE, name: 'made-up-7', properties: ['new'] })
    expect(tables.observed_event_totals).toMatchObject([{ names: 1_000n, ignored_names: 2n }])
  })

  test('keeps what is reported again, however many names are made up beside it', () => {
    const real = activity({ event: 'order_placed', propertyNames: ['total'] })
    const names = namesIn(rowsInMemory([real, real, ...madeUp(0, 5_000)]))
    expect(names).toHaveLength(1_000)
    expect(names).toContain('order_placed')
  })

  test('that was filled by made-up names shows a real one by its next report', () => {
    const real = activity({ event: 'order_placed' })
    expect(namesIn(rowsInMemory([...madeUp(0, 1_000), real]))).toContain('order_placed')
    // Filled by those that came twice, too.
    expect(namesIn(rowsInMemory([...madeUp(0, 1_000), ...madeUp(0, 1_000), real]))).toContain('order_placed')
  })

  test('that was filled by made-up names, each reported twice, shows real ones that take turns', () => {
    const real = Array.from({ length: 150 }, (_, n) => activity({ event: `real-${n}` }))
    const names = namesIn(rowsInMemory([...madeUp(0, 1_000), ...madeUp(0, 1_000), ...real, ...real, ...madeUp(1_000, 2_000)]))
    expect(names).toHaveLength(1_000)
    expect(names.filter((name) => name.startsWith('real-'))).toHaveLength(150)
  })

  test('counts its names exactly, whatever comes and goes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1_400 }), { minLength: 1_500, maxLength: 3_000 }), (reports) => {
        const tables = rowsInMemory(reports.map((n) => activity({ event: `e${n}` })))
        const [{ names, once, again }] = tables.observed_event_totals as [{ names: bigint; once: string[]; again: string[] }]
        expect([...once, ...again].toSorted()).toEqual(namesIn(tables).toSorted())
        expect(names).toBe(BigInt(once.length + again.length))
        expect(namesIn(tables)).toContain(`e${reports.at(-1)}`)
      }),
      { numRuns: 20 },
    )
  })

  test.each(['ada@example.com bought', 'ada＠example.com', 'called +972 50-123-4567', '＋972501234567', 'a\u0000b', 'line\nbreak'])(
    'shows no event called %j',
    (event) => {
      expect(observed([activity({ event })])).toEqual([])
      expect(observed([activity({ event: 'order_1732800000000 + 3' })])).toHaveLength(1)
      expect(totals([activity({ event })])).toMatchObject({ names: 0n, ignored_names: 1n })
    },
  )

  test('shows no key of properties that is data, also where an older version has written it down', () => {
    const propertyNames = ['total', 'Ada Lovelace', 'ada@example.com', '+972501234567', 'tel_050-1234567', 'גודל']
    expect(observed([activity({ propertyNames })])[0]?.properties).toEqual(['total', 'גודל'])
  })

  test('has a hundred properties of an event, and drops those that came first for what is new', () => {
    const names = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `p${from + n}`)
    const events = [
      activity({ propertyNames: names(0, 90) }),
      activity({ propertyNames: names(80, 130) }),
      activity({ propertyNames: ['p129'] }),
    ]
    expect(observed(events)[0]?.properties).toEqual(names(30, 130))
    expect(totals(events)).toMatchObject({ names: 1n, ignored_properties: 30n })
  })
})
