import { expect, it } from 'vitest'
import { storeEventId } from './store-event-id.ts'

const order = { externalId: null, orderId: 'A-1', amount: 10, currency: 'EUR' }
const at = '2026-11-23T10:15:30.000Z'

it('an order is completed, cancelled, fulfilled, shipped and delivered once, whatever else is said of it', () => {
  for (const event of ['order.completed', 'order.cancelled', 'order.fulfilled', 'shipment.delivered', 'checkout.started'] as const) {
    expect(storeEventId(event, { ...order, amount: 12 }, at)).toBe(storeEventId(event, order, null))
    expect(storeEventId(event, { ...order, orderId: 'A-2' }, at)).not.toBe(storeEventId(event, order, at))
    expect(storeEventId(event, { ...order, externalId: 'parcel-2' }, at)).not.toBe(storeEventId(event, order, at))
  }
})

it('an order is refunded and fulfilled in parts: of another amount, another id, or another time that the store gave', () => {
  for (const event of ['order.refunded', 'order.partially_fulfilled'] as const) {
    const parts = [
      storeEventId(event, order, null),
      storeEventId(event, { ...order, amount: 3 }, null),
      storeEventId(event, { ...order, externalId: 'refund-1' }, null),
      storeEventId(event, order, at),
      storeEventId(event, order, '2026-11-23T10:15:31.000Z'),
    ]
    expect(new Set(parts).size).toBe(parts.length)
    expect(storeEventId(event, { ...order }, at)).toBe(parts[3])
  }
})

it('two products of one order, and two reviews of one product, are two reviews', () => {
  const review = { vendor: 'stars', rating: 5, productId: 'tea', published: false, orderId: 'A-1' }
  const id = storeEventId('review.submitted', review, null)
  expect(storeEventId('review.submitted', { ...review, rating: 4, published: true }, at)).toBe(id)
  expect(storeEventId('review.submitted', { ...review, productId: 'cup' }, null)).not.toBe(id)
  expect(storeEventId('review.submitted', { ...review, reviewId: 'r-1' }, null)).not.toBe(
    storeEventId('review.submitted', { ...review, reviewId: 'r-2' }, null),
  )
})

it('what has no id has none', () => {
  expect(storeEventId('order.completed', { ...order, orderId: null }, at)).toBeNull()
  expect(storeEventId('loyalty.points_earned', { vendor: 'v', points: 5, tier: null, rewardCode: 'x' }, at)).toBeNull()
  expect(storeEventId('review.submitted', { vendor: 'v', rating: 5, productId: 'tea', published: true, orderId: null }, at)).toBeNull()
})

it('ids with commas and quotes never meet', () => {
  const one = storeEventId('order.completed', { ...order, externalId: 'a","b', orderId: 'c' }, null)
  expect(one).not.toBe(storeEventId('order.completed', { ...order, externalId: 'a', orderId: 'b","c' }, null))
})
