import { type ActivityEvent, asContactId } from '@tidings/domain'
import fc from 'fast-check'
import { words } from './arbitraries.ts'

/** Few contacts and names: activities of one history meet in the same counts. */
const CONTACTS = ['5f0e7e3a-7b52-4a3c-9d5e-0d3a6a6f0c11', '5f0e7e3a-7b52-4a3c-9d5e-0d3a6a6f0c12'] as const

const moment = fc.date({ min: new Date('2026-01-01'), max: new Date('2026-02-01'), noInvalidDate: true }).map((date) => date.toISOString())

/** One activity, whose stream never goes on. */
export function activityLife(activityId: string): fc.Arbitrary<readonly ActivityEvent[]> {
  return fc
    .record({
      contactId: fc.constantFrom(...CONTACTS).map(asContactId),
      event: fc.constantFrom('order_placed', 'order.completed', 'viewed'),
      source: fc.constantFrom('api', 'store', 'service'),
      occurredAt: moment,
      properties: fc.dictionary(words, words, { maxKeys: 3 }),
    })
    .map((data) => [{ type: 'ActivityRecorded', data: { activityId, ...data, propertyNames: Object.keys(data.properties) } }])
}
