import { specFor } from '@tidings/testing/decider-spec'
import { describe, it } from 'vitest'
import { customField } from '../../src/custom-field/custom-field.ts'

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
