import { expect, it } from 'vitest'
import { bodyOf, draftOf } from '../../../src/screens/settings-fields/draft.ts'

const FIELD = {
  id: 'f',
  key: 'size',
  label: 'Size',
  kind: 'select',
  options: [{ label: 'Small', value: 's' }],
  updatedAt: '',
  etag: '',
} as const

it('sends what it has read, where nothing was typed', () => {
  const field = { ...FIELD, options: [...FIELD.options] }
  expect(bodyOf(draftOf(field))).toEqual({ label: 'Size', kind: 'select', options: [{ label: 'Small', value: 's' }] })
})

it('reads a value without a label as it is stored, and leaves empty rows and the values of other kinds out', () => {
  const options = [
    { value: 'm', label: ' ' },
    { value: '', label: '' },
  ]
  expect(bodyOf({ label: 'Size', kind: 'multiSelect', options })).toMatchObject({ options: [{ value: 'm', label: 'm' }] })
  expect(bodyOf({ label: 'Size', kind: 'text', options })).toMatchObject({ options: [] })
})
