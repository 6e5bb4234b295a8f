import { expect, test } from 'vitest'
import { createFeed, type Delivery, give, isThrough, settle, take, waiting } from '../../../src/kafka/consume/feed.ts'

const delivery = (first: bigint, next: bigint): Delivery => ({ partition: 0, records: [], first, next, end: next, timestamp: '0' })

test('counts what waits where the offsets of a partition go back', () => {
  const feed = createFeed()
  give(feed, delivery(0n, 1_000n), 'r')
  take(feed, 100)
  settle(feed)
  // The topic was truncated by an election, or made anew.
  give(feed, delivery(0n, 50n), 'r')
  expect(waiting(feed)).toBe(50)
  expect(isThrough(feed, 0)).toBe(false)
  take(feed, 100)
  settle(feed)
  expect(waiting(feed)).toBe(0)
})

test('counts what waits where they go back while something is handled', () => {
  const feed = createFeed()
  give(feed, delivery(0n, 1_000n), 'r')
  take(feed, 100)
  give(feed, delivery(0n, 50n), 'r')
  settle(feed)
  give(feed, delivery(50n, 70n), 'r')
  expect(waiting(feed)).toBe(20)
})
