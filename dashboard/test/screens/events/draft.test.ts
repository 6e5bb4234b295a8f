import { expect, it } from 'vitest'
import { bodyOf, draftOf } from '../../../src/screens/events/draft.ts'

it('a declaration has a property a line, and no line that says nothing', () => {
  const declared = { label: 'Tea', propertyNames: ['sort', 'שם'], retired: true }
  expect(bodyOf(draftOf(declared))).toEqual(declared)
  expect(bodyOf({ label: 'Tea', lines: ' sort \r\n\n  \ncups', retired: false }).propertyNames).toEqual(['sort', 'cups'])
})
