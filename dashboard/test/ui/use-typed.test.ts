import { expect, test } from 'vitest'
import { stillAsked } from '../../src/ui/use-typed.ts'

test('a value that the field asked for takes nothing back, with those before it that never arrive', () => {
  expect(stillAsked(['j', 'jk', 'jk/'], 'j')).toEqual(['jk', 'jk/'])
  expect(stillAsked(['j', 'jk', 'jk/'], 'jk')).toEqual(['jk/'])
  expect(stillAsked(['j', 'jk', 'j'], 'j')).toEqual([])
})

test('a value from elsewhere does', () => {
  expect(stillAsked([], 'j')).toBeNull()
  expect(stillAsked(['j', 'jk'], '')).toBeNull()
})
