import { expect, it } from 'vitest'
import { bodyOf, draftOf, propertiesIn } from '../../../src/screens/events/draft.ts'

it('a declaration has a property a line, and no line that says nothing', () => {
  const declared = { label: 'Tea', propertyNames: ['sort', 'שם'], retired: true }
  expect(bodyOf(draftOf(declared))).toEqual(declared)
  expect(bodyOf({ label: 'Tea', lines: ' sort \r\n\n  \ncups', retired: false }).propertyNames).toEqual(['sort', 'cups'])
})

it('properties of a test are a JSON object, or nothing', () => {
  expect(propertiesIn('  ')).toEqual({})
  expect(propertiesIn('{"total": 20}')).toEqual({ total: 20 })
  for (const text of ['[1]', 'null', '20', '{"total": 20', 'total: 20']) expect([text, propertiesIn(text)]).toEqual([text, null])
})
