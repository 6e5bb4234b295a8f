import { expect, test } from 'vitest'
import { causeText, originOf, originText } from '../../src/index.ts'

test.each([
  ['contact-1@0', { kind: 'event', source: 'contact-1@0' }, 'contact-1@0'],
  ['again:contact-1@0', { kind: 'again', source: 'contact-1@0' }, 'contact-1@0'],
  ['test@0192b1f0', { kind: 'test', testId: '0192b1f0' }, 'test@0192b1f0'],
] as const)('%s says what a delivery is made from, and its cause is without the mark', (text, origin, cause) => {
  expect(originOf(text)).toEqual(origin)
  expect(originText(origin)).toBe(text)
  expect(causeText(text)).toBe(cause)
})
