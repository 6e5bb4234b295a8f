import { asContactId, asFlowId, asListId, type DomainEvent } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import { type ContactTimelineRow, parseTimelinePlace, timelinePlace } from '@tidings/read-models'
import { expect, test } from 'vitest'
import { contactTimelineProjection } from '../src/contact-timeline.projection.ts'
import { moment, recorded } from './recorded.ts'

const contactId = asContactId('0192f0c1-0000-7000-8000-00000000000b')
const listId = asListId('0192f0c1-0000-7000-8000-00000000000c')
const flowId = asFlowId('0192f0c1-0000-7000-8000-00000000000d')
const activityId = '0192f0c1-0000-7000-8000-00000000000e'

const created: DomainEvent = {
  type: 'ContactCreated',
  data: { contactId, email: 'noa@acme.example', emailClaimId: null, phone: null, phoneClaimId: null, firstName: 'Noa', source: 'api' },
}
const said: DomainEvent = {
  type: 'ContactConsentRecorded',
  data: {
    ...{ contactId, channel: 'email', from: 'never_subscribed', to: 'subscribed', source: 'import', ip: '192.0.2.1', userAgent: 'Chrome' },
    message: null,
    givenAt: '2020-03-03T00:00:00.000Z',
  },
}
const joined: DomainEvent = { type: 'ContactAddedToList', data: { listId, contactId, reason: 'request' } }
const left: DomainEvent = {
  type: 'ContactLeftFlow',
  data: { flowId, contactId, runId: 'run', reason: 'finished', at: moment(1) },
}
const bought: DomainEvent = {
  type: 'ActivityRecorded',
  data: {
    ...{ activityId, contactId, event: 'order.placed', source: 'store', occurredAt: '2019-01-01T00:00:00.000Z' },
    properties: { note: 'for Noa' },
    propertyNames: ['note'],
  },
}

const rowsAfter = (...events: readonly DomainEvent[]) =>
  (foldAll(contactTimelineProjection, recorded(events)).contact_timeline ?? []) as readonly ContactTimelineRow<string>[]

test('each thing is a row of ids alone, by when it happened, whatever the log says first', () => {
  const rows = rowsAfter(created, said, joined, left, bought)
  const byPlace = rows.toSorted((one, other) => (one.place < other.place ? -1 : 1))
  expect(byPlace.map(({ kind, thing_id, at, revision }) => [kind, thing_id, at, revision])).toEqual([
    ['event', activityId, '2019-01-01T00:00:00.000Z', 4],
    ['consent', contactId, '2020-03-03T00:00:00.000Z', 1],
    ['created', contactId, moment(1), 0],
    ['list_joined', listId, moment(3), 2],
    ['flow_left', flowId, moment(4), 3],
  ])
  for (const personal of ['noa', 'Noa', '192.0.2.1', 'Chrome', 'order.placed']) expect(JSON.stringify(rows)).not.toContain(personal)
})

test('an erasure takes all of the person, and what came between its beginning and its end', () => {
  const requested: DomainEvent = { type: 'ContactErasureRequested', data: { contactId } }
  const erased: DomainEvent = { type: 'ContactErased', data: { contactId } }
  const offList: DomainEvent = { type: 'ContactRemovedFromList', data: { listId, contactId, reason: 'erasure' } }
  expect(rowsAfter(created, joined, requested)).toEqual([])
  expect(rowsAfter(created, joined, requested, offList, erased)).toEqual([])
})

test.each([
  ['now', moment(1), 0],
  ['the first moment', '1970-01-01T00:00:00.000Z', 7],
  ['far ahead', '9999-12-31T23:59:59.999Z', 0x7fffffff],
])('a place is read as it was written: %s', (_, at, revision) => {
  const place = { at, thingId: activityId, revision }
  expect(parseTimelinePlace(timelinePlace(place))).toEqual(place)
})

test('what happened before 1970 stands at the beginning, and two revisions of one moment stand apart in their order', () => {
  const at = '1969-07-20T20:17:40.000Z'
  expect(timelinePlace({ at, thingId: activityId, revision: 1 })).toBe(
    timelinePlace({ at: '1970-01-01T00:00:00.000Z', thingId: activityId, revision: 1 }),
  )
  const places = [9, 10, 255, 256].map((revision) => timelinePlace({ at: moment(1), thingId: activityId, revision }))
  expect(places.toSorted()).toEqual(places)
})

test.each(['', 'x', `${'0'.repeat(51)}`, `${'0'.repeat(53)}`, `${'0'.repeat(51)}G`, 'f'.repeat(52)])(
  'no place is read from: %s',
  (text) => {
    expect(parseTimelinePlace(text)).toBeNull()
  },
)
