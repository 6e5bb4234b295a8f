import { specFor } from '@tidings/testing/decider-spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { activity, activityKey, isNews, type RecordActivity } from '../../src/activity/activity.ts'
import { asContactId, type ContactId } from '../../src/ids.ts'
import { WEBHOOK_EVENTS } from '../../src/webhooks/webhook-names.ts'

const { given } = specFor(activity)

const data = {
  activityId: 'a',
  contactId: asContactId('c'),
  event: 'order_placed',
  source: 'api',
  occurredAt: '2026-11-23T10:15:30.123Z',
  properties: { orderId: '7', total: 12.5 },
} as const
const record = (changes: Partial<RecordActivity['data']> = {}): RecordActivity => ({
  type: 'RecordActivity',
  data: { ...data, ...changes },
})
const recorded = { type: 'ActivityRecorded', data: { ...data, propertyNames: ['orderId', 'total'] } } as const

/** A string property that makes the JSON text of the properties so many bytes. */
const propertiesOf = (bytes: number, letter = 'x') => ({ text: letter.repeat((bytes - '{"text":""}'.length) / Buffer.byteLength(letter)) })

describe('an activity', () => {
  it('is recorded once', () => {
    given().when(record()).thenEvents(recorded)
    given(recorded).when(record()).thenNothing()
  })

  it('is the same whatever its properties say', () => {
    given(recorded)
      .when(record({ properties: { orderId: '8' } }))
      .thenNothing()
  })

  it('never has the name of a built-in event when event ingest reports it', () => {
    for (const event of WEBHOOK_EVENTS) given().when(record({ event })).thenRefused('event_name_reserved')
  })

  it('has the name of a store, review or loyalty event when a store reports it', () => {
    for (const event of ['contact.created', 'sms.failed', 'order_placed', 'constructor', '__proto__'])
      given()
        .when(record({ event, source: 'store' }))
        .thenRefused('event_name_not_of_stores')
    const sold = { ...data, event: 'order.completed', source: 'store' } as const
    given()
      .when(record(sold))
      .thenEvents({ type: 'ActivityRecorded', data: { ...sold, propertyNames: ['orderId', 'total'] } })
  })

  it.each(['x', 'ש', '€'])('has properties of at most 8 192 bytes of JSON, written with %s', (letter) => {
    const largest = propertiesOf(8_192, letter)
    const size = Buffer.byteLength(JSON.stringify(largest))
    expect(activity.decide(record({ properties: largest }), false)).toHaveLength(1)
    given()
      .when(record({ properties: { ...largest, ['y'.repeat(8_192 - size)]: 1 } }))
      .thenRefused('event_properties_too_large')
  })

  it('shows the catalogue the names of its properties, and no key that may name a person', () => {
    const properties = {
      ...{ total: 1, _id: 2, 'order.total': 3, 'line-1': 4, גודל: 5 },
      ...{ 'Ann Smith': 6, 'ann@example.com': 7, '+972501234567': 8, 'tel_050-1234567': 9, 'id_31-12-1999': 10 },
      ...{ ['n'.repeat(65)]: 11, '': 12, 'a\u200bb': 13, 'a/b': 14 },
    }
    const [event] = activity.decide(record({ properties }), false)
    expect(event?.data.propertyNames).toEqual(['total', '_id', 'order.total', 'line-1', 'גודל'])
  })

  it('shows the catalogue a hundred names at most', () => {
    const properties = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`p${n}`, n]))
    const [event] = activity.decide(record({ properties }), false)
    expect(event?.data.propertyNames).toHaveLength(100)
  })
})

describe('two reports are one activity', () => {
  const key = (changes: Partial<typeof data> | Readonly<{ contactId?: ContactId; event?: string; occurredAt?: string; ownId?: string }>) =>
    activityKey({ ...data, ownId: null, ...changes })

  it('of one contact, event and UTC minute', () => {
    expect(key({ occurredAt: '2026-11-23T10:15:59.999Z' })).toBe(key({ occurredAt: '2026-11-23T10:15:00.000Z' }))
  })

  it('of one contact, event and own id, whatever the minute is', () => {
    expect(key({ ownId: '1', occurredAt: '2026-11-24T00:00:00.000Z' })).toBe(key({ ownId: '1' }))
    const keys = [
      key({}),
      key({ ownId: '1' }),
      key({ ownId: '2' }),
      key({ ownId: '1', contactId: asContactId('d') }),
      key({ ownId: '1', event: 'other' }),
    ]
    expect(new Set(keys).size).toBe(5)
  })

  it('and not of another', () => {
    const keys = [
      key({}),
      key({ contactId: asContactId('d') }),
      key({ event: 'order_paid' }),
      key({ occurredAt: '2026-11-23T10:16:00.000Z' }),
    ]
    expect(new Set(keys).size).toBe(4)
  })

  it('exactly then, whatever the event is called', () => {
    const reports = fc.record({
      ownId: fc.constant(null),
      contactId: fc.constantFrom('0192f0c1-0000-7000-8000-0000000000aa', '0192f0c1-0000-7000-8000-0000000000bb').map(asContactId),
      event: fc.string({ unit: fc.constantFrom('|', 'a', '2', '-', ':', 'T'), minLength: 1, maxLength: 6 }),
      occurredAt: fc.integer({ min: 0, max: 600_000 }).map((ms) => new Date(Date.UTC(2026, 10, 23) + ms).toISOString()),
    })
    fc.assert(
      fc.property(reports, reports, (a, b) => {
        const isSame = a.contactId === b.contactId && a.event === b.event && a.occurredAt.slice(0, 16) === b.occurredAt.slice(0, 16)
        expect(activityKey(a) === activityKey(b)).toBe(isSame)
      }),
      { numRuns: 500 },
    )
  })
})

it('what a store reports more than a day late is no news; what others report always is', () => {
  const now = '2026-11-24T10:15:30.000Z'
  expect(isNews({ source: 'store', occurredAt: '2026-11-23T10:15:30.000Z' }, now)).toBe(true)
  expect(isNews({ source: 'store', occurredAt: '2026-11-23T10:15:29.999Z' }, now)).toBe(false)
  expect(isNews({ source: 'service', occurredAt: '2020-01-01T00:00:00.000Z' }, now)).toBe(true)
})
