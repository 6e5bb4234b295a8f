import { expect, it } from 'vitest'
import { callerAddress } from './caller-address.ts'

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::99', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['not:an:address', 'not:an:address'],
])('%s counts as %s', (ip, key) => {
  expect(callerAddress(ip)).toBe(key)
})

it('keeps no more than 64 characters of what is no address', () => {
  expect(callerAddress('x'.repeat(10_000))).toHaveLength(64)
})
