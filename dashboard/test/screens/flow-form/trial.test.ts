import { expect, it } from 'vitest'
import { emptyDraft, newStep } from '../../../src/screens/flow-form/draft.ts'
import { bodyOf, FIRST_TRIAL } from '../../../src/screens/flow-form/trial.ts'

const draft = { ...emptyDraft, steps: [newStep('wait', 'a')] }
const ordered = { ...draft, trigger: { type: 'custom_event', list: '', event: 'order_placed' } } as const

it('a flow is tried for an example of what is filled in, or for a person instead of it', () => {
  const typed = { ...FIRST_TRIAL, firstName: ' Noa ', tags: 'vip, ,חדש', agrees: ['sms'] } as const
  expect(bodyOf({ draft, flowId: null }, typed)).toEqual({
    flow: { trigger: { type: 'contact_created' }, steps: [{ wait: { minutes: 1_440 } }] },
    example: { firstName: 'Noa', email: 'ada@example.com', tags: ['vip', 'חדש'], agrees: ['sms'] },
  })
  expect(bodyOf({ draft, flowId: null }, { ...typed, person: 'p' })).toMatchObject({ contactId: 'p' })
  expect(bodyOf({ draft, flowId: null }, { ...typed, person: 'p' })).not.toHaveProperty('example')
})

it('says what the event says, where it is an event that lets people in', () => {
  const typed = { ...FIRST_TRIAL, values: '{"sku": "TEA-1"}' }
  expect(bodyOf({ draft: ordered, flowId: null }, typed)).toMatchObject({ properties: { sku: 'TEA-1' } })
  expect(bodyOf({ draft, flowId: null }, typed)).not.toHaveProperty('properties')
  expect(bodyOf({ draft: ordered, flowId: null }, { ...typed, values: '{' })).toBeNull()
  expect(bodyOf({ draft, flowId: null }, { ...typed, values: '{' })).not.toBeNull()
})

it('says which flow is tried once it is made, and the custom properties of an example alone', () => {
  const typed = { ...FIRST_TRIAL, custom: '{"size": 42}' }
  expect(bodyOf({ draft, flowId: 'f' }, typed)).toMatchObject({ flowId: 'f', example: { customProperties: { size: 42 } } })
  expect(bodyOf({ draft, flowId: null }, FIRST_TRIAL)).not.toHaveProperty('flowId')
  expect(bodyOf({ draft, flowId: null }, FIRST_TRIAL)?.example).not.toHaveProperty('customProperties')
  expect(bodyOf({ draft, flowId: null }, { ...typed, custom: '[' })).toBeNull()
  expect(bodyOf({ draft, flowId: null }, { ...typed, custom: '[', person: 'p' })).not.toBeNull()
})
