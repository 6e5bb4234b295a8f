import { describe, expect, test } from 'vitest'
import { type Upcaster, upcastPaths } from '../../src/upcast/upcast.ts'

const declarations = {
  Named: { version: 3, personal: { subject: () => 'person:1', fields: ['firstName', 'lastName'] } },
  Counted: { version: 1 },
}

const steps: readonly Upcaster[] = [
  {
    type: 'Named',
    from: 2,
    personal: ['first', 'last'],
    upcast: ({ first, last, ...rest }) => ({ ...rest, firstName: first, lastName: last }),
  },
  {
    type: 'Named',
    from: 1,
    personal: ['name'],
    upcast: ({ name, ...rest }) => {
      const [first, last] = typeof name === 'string' ? name.split(' ') : [null, null]
      return { ...rest, first, last }
    },
  },
]

const path = () => upcastPaths(declarations, steps).get('Named')!

test('every version reads in the shape of today', () => {
  const today = { id: 1, firstName: 'Ann', lastName: 'Lee' }
  expect(path().upcast({ id: 1, name: 'Ann Lee' }, 1)).toEqual(today)
  expect(path().upcast({ id: 1, first: 'Ann', last: 'Lee' }, 2)).toEqual(today)
  expect(path().upcast(today, 3)).toBe(today)
})

test('every version of an erased event has the personal fields of today, all null', () => {
  for (const version of [1, 2, 3]) expect(path().erased({ id: 1 }, version)).toEqual({ id: 1, firstName: null, lastName: null })
})

describe('refused at start', () => {
  test.each<[string, readonly Upcaster[], string]>([
    ['a missing step', steps.slice(1), 'Named has 0 steps from version 2'],
    ['a step too many', [...steps, steps[0]!], 'Named has 2 steps from version 2'],
    ['a step beyond today', [...steps, { ...steps[0]!, from: 3 }], 'Named has a step from version 3, and today is 3'],
    ['a step before the first version', [...steps, { ...steps[0]!, from: 0 }], 'Named has a step from version 0'],
    ['a step of nothing', [...steps, { ...steps[0]!, type: 'Nameless' }], 'Nameless is not declared'],
  ])('%s', (_, upcasters, message) => {
    expect(() => upcastPaths(declarations, upcasters)).toThrow(message)
  })
})
