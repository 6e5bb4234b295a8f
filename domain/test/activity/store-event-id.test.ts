import { expect, it } from 'vitest'
import { storeEventId } from '../../src/activity/activity.ts'

const order = { externalId: null, orderId: 'A-1', amount: 10, currency: 'EUR' }
const at = '2026-11-23T10:15:30.000Z'
const moment = '2026-11-23T12:00:10.000Z'
/** The time by the store, the time of the report, and the reporter. */
const by = (said: string | null = null, more: Readonly<{ moment?: string; connectorId?: string | null }> = {}) => ({
  said,
  moment,
  connectorId: 'shop',
  ...more,
})

it('an order is completed, cancelled, fulfilled, shipped and delivered once, whatever else is said of it', () => {
  for (const event of ['order.completed', 'order.cancelled', 'order.fulfilled', 'shipment.delivered', 'cart.abandoned'] as const) {
    expect(storeEventId(event, { ...order, amount: 12 }, by(at))).toBe(storeEventId(event, order, by()))
    expect(storeEventId(event, order, by(null, { moment: '2026-11-25T00:00:00.000Z' }))).toBe(storeEventId(event, order, by()))
    expect(storeEventId(event, { ...order, orderId: 'A-2' }, by(at))).not.toBe(storeEventId(event, order, by(at)))
    expect(storeEventId(event, { ...order, externalId: 'parcel-2' }, by(at))).not.toBe(storeEventId(event, order, by(at)))
  }
})

const repeated = ['order.refunded', 'order.partially_fulfilled', 'checkout.started'] as const

it.each(repeated)('%s is one of several: of another amount, another id, or another time that the store gave', (event) => {
  const parts = [
    storeEventId(event, order, by()),
    storeEventId(event, { ...order, amount: 3 }, by()),
    storeEventId(event, { ...order, externalId: 'refund-1' }, by()),
    storeEventId(event, order, by(at)),
    storeEventId(event, order, by('2026-11-23T10:15:31.000Z')),
  ]
  expect(new Set(parts).size).toBe(parts.length)
  expect(storeEventId(event, { ...order }, by(at))).toBe(parts[3])
})

it.each(repeated)('%s has one time, however the store writes it', (event) => {
  for (const same of ['2026-11-23T10:15:30Z', '2026-11-23T10:15:30+00:00', '2026-11-23T12:15:30.000+02:00'])
    expect(storeEventId(event, order, by(same, { moment: '2026-11-25T00:00:00.000Z' }))).toBe(storeEventId(event, order, by(at)))
  expect(storeEventId(event, order, by('2026-11-23'))).toBe(storeEventId(event, order, by('2026-11-23T00:00:00Z')))
  expect(storeEventId(event, order, by('2026-11-23T10:15:30-01:00'))).not.toBe(storeEventId(event, order, by(at)))
})

it.each(repeated)('%s without a time is that of the minute of its report', (event) => {
  const id = storeEventId(event, order, by())
  expect(storeEventId(event, order, by(null, { moment: '2026-11-23T12:00:59.999Z' }))).toBe(id)
  expect(storeEventId(event, order, by(null, { moment: '2026-11-23T12:01:00.000Z' }))).not.toBe(id)
  expect(storeEventId(event, order, by(null, { moment: '2026-11-27T12:00:10.000Z' }))).not.toBe(id)
})

it('two shops of a workspace may count their orders alike; what users report is of no shop', () => {
  for (const event of ['order.completed', 'order.refunded', 'checkout.started', 'shipment.delivered'] as const) {
    const ids = ['shop', 'other shop', null].map((connectorId) =>
      storeEventId(event, { ...order, orderId: '1001' }, by(at, { connectorId })),
    )
    expect(new Set(ids).size).toBe(3)
    expect(storeEventId(event, { ...order, orderId: '1001' }, by(at, { connectorId: 'shop' }))).toBe(ids[0])
  }
  expect(storeEventId('order.completed', order, by(at, { connectorId: null }))).toBe('[null,"A-1",null,null,null]')
})

it('two products of one order, and two reviews of one product, are two reviews', () => {
  const review = { vendor: 'stars', rating: 5, productId: 'tea', published: false, orderId: 'A-1' }
  const id = storeEventId('review.submitted', review, by())
  expect(storeEventId('review.submitted', { ...review, rating: 4, published: true }, by(at))).toBe(id)
  expect(storeEventId('review.submitted', { ...review, productId: 'cup' }, by())).not.toBe(id)
  expect(storeEventId('review.submitted', { ...review, reviewId: 'r-1' }, by())).not.toBe(
    storeEventId('review.submitted', { ...review, reviewId: 'r-2' }, by()),
  )
})

it('what has no id has none', () => {
  expect(storeEventId('order.completed', { ...order, orderId: null }, by(at))).toBeNull()
  expect(storeEventId('loyalty.points_earned', { vendor: 'v', points: 5, tier: null, rewardCode: 'x' }, by(at))).toBeNull()
  const review = { vendor: 'v', rating: 5, productId: 'tea', published: true, orderId: null }
  expect(storeEventId('review.submitted', review, by(at))).toBeNull()
})

it('ids with commas and quotes never meet', () => {
  const one = storeEventId('order.completed', { ...order, externalId: 'a","b', orderId: 'c' }, by())
  expect(one).not.toBe(storeEventId('order.completed', { ...order, externalId: 'a', orderId: 'b","c' }, by()))
})
