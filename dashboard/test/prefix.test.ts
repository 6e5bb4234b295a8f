import { expect, it } from 'vitest'
import { prefixIn } from '../src/prefix.ts'

it.each([
  ['https://host.example/dashboard/assets/index-A1.js', ''],
  ['https://host.example/tidings/dashboard/assets/index-A1.js', '/tidings'],
  ['https://host.example/a/dashboard/b/dashboard/assets/index-A1.js', '/a/dashboard/b'],
  ['file:///home/ada/tidings/dashboard/src/prefix.ts', ''],
])('is what stands before the dashboard in %s', (address, prefix) => {
  expect(prefixIn(address)).toBe(prefix)
})
