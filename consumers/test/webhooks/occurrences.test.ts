import { MESSAGE_EVENTS, WEBHOOK_EVENTS } from '@tidings/domain'
import { expect, it } from 'vitest'
import { REPORTED_NAMES } from '../../src/webhooks/occurrences.ts'

it('the names of the contract are all known, in its order', () => {
  expect(new Set(WEBHOOK_EVENTS).size).toBe(29)
  expect([WEBHOOK_EVENTS[0], WEBHOOK_EVENTS[10], WEBHOOK_EVENTS.at(-1)]).toEqual(['order.completed', 'contact.created', 'loyalty.referral'])
})

it('all have a source, those of single messages too, and nothing else has one', () => {
  expect([...REPORTED_NAMES].sort()).toEqual([...new Set([...WEBHOOK_EVENTS, ...MESSAGE_EVENTS])].sort())
})
