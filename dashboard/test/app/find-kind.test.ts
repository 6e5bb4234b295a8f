import { expect, it } from 'vitest'
import { kindOf } from '../../src/app/find-kind.ts'

it.each([
  ['', 'nothing'],
  [' a ', 'nothing'],
  ['noa', 'people'],
  ['+972501234567', 'people'],
  ['noa@example.com', 'people'],
  [' 0192F000-0000-7000-8000-000000000001 ', 'id'],
  ['0192f000-0000-7000-8000-00000000000', 'people'],
  ['../../me', 'people'],
])('%j names %s', (text, expected) => {
  expect(kindOf(text)).toBe(expected)
})
