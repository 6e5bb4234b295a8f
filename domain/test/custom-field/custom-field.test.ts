import { specFor } from '@tidings/testing/decider-spec'
import { describe, expect, it } from 'vitest'
import { customField, optionsMistake } from '../../src/custom-field/custom-field.ts'

const { given } = specFor(customField)

const size = { fieldId: 'f', key: 'size', label: 'Shoe size', kind: 'select', options: [{ label: 'Small', value: 's' }] } as const
const configured = { type: 'CustomFieldConfigured', data: size } as const

describe('a custom field', () => {
  it('is described, once', () => {
    given().when({ type: 'ConfigureCustomField', data: size }).thenEvents(configured)
    given(configured).when({ type: 'ConfigureCustomField', data: size }).thenNothing()
  })

  it('is described anew when anything differs', () => {
    for (const changed of [{ label: 'Size' }, { kind: 'multiSelect' }, { options: [] }] as const) {
      const data = { ...size, ...changed }
      given(configured).when({ type: 'ConfigureCustomField', data }).thenEvents({ type: 'CustomFieldConfigured', data })
    }
  })
})

it.each([
  ['select', ['a', 'b'], null],
  ['multiSelect', [], 'options is missing: a multiSelect needs at least one'],
  ['number', ['a'], 'options is not a field of the kind number'],
  ['select', ['a', 'b', 'a'], 'options[2] repeats "a"'],
] as const)('of the kind %s offers %j: %s', (kind, values, mistake) => {
  expect(optionsMistake({ kind, options: values.map((value) => ({ label: value, value })) })).toBe(mistake)
})

it('offers what fits into one append', () => {
  const offering = (count: number) => {
    const texts = Array.from({ length: count }, (_, n) => `${n}`.padEnd(250, 'ש'))
    return optionsMistake({ kind: 'select', options: texts.map((value) => ({ label: value, value })) })
  }
  expect(offering(200)).toBeNull()
  expect(offering(201)).toBe('options must have at most 100000 characters together')
})
