import { expect, it } from 'vitest'
import { isChanged, stepsFrom } from '../../../src/screens/profile/changed-since.ts'

it('is changed where it says something else, whatever the order of its keys', () => {
  expect(isChanged('Noa', 'נועה')).toBe(true)
  expect(isChanged(['a', 'b'], ['b', 'a'])).toBe(true)
  expect(isChanged(null, 'x')).toBe(true)
  expect(isChanged(null, '')).toBe(false)
  expect(isChanged(undefined, null)).toBe(false)
  expect(isChanged({ a: { x: 1, y: 2 }, b: [{ p: 1, q: 2 }] }, { b: [{ q: 2, p: 1 }], a: { y: 2, x: 1 } })).toBe(false)
  expect(isChanged({ a: 1 }, { a: '1' })).toBe(true)
})

it('steps from change to change, and from now to the last one', () => {
  const moments = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z']
  expect(stepsFrom(moments, null)).toEqual({ before: moments[2], next: null })
  expect(stepsFrom(moments, '2026-02-01T00:00:00.000Z')).toEqual({ before: moments[0], next: moments[2] })
  expect(stepsFrom(moments, '2025-12-31T00:00:00.000Z')).toEqual({ before: null, next: moments[0] })
  expect(stepsFrom([], null)).toEqual({ before: null, next: null })
})
