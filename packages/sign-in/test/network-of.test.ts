import { expect, it } from 'vitest'
import { networkOf } from '../src/fair-queue.ts'

it.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['0:0:0:0::/64', '0:0:0::/48'],
  ['ada@example.com', 'ada@example.com'],
  ['browser 203.0.113.7', 'browser 203.0.113.7'],
  ['', ''],
])('%j is in %j', (client, network) => {
  expect(networkOf(client)).toBe(network)
})
