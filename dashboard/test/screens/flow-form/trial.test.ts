import { expect, it } from 'vitest'
import { emptyDraft, newStep } from '../../../src/screens/flow-form/draft.ts'
import { bodyOf, FIRST_TRIAL } from '../../../src/screens/flow-form/trial.ts'

const draft = { ...emptyDraft, steps: [newStep('wait', 'a')] }
const ordered = { ...draft, trigger: { type: 'custom_event', list: '', event: 'order_placed' } } as const

it('a flow is tried for an example of what is filled in, or for a person instead of it', () => {
  const typed = { ...FIRST_TRIAL, firstName: ' Noa ', tags: 'vip, ,חדש', agrees: ['sms'] } as const
  expect(bodyOf(draft, typed)).toEqual({
    flow: { trigger: { type: 'contact_created' }, steps: [{ wait: { minutes: 1_440 } }] },
    example: { firstName: 'Noa', email: 'ada@example.com', tags: ['vip', 'חדש'], agrees: ['sms'] },
  })
  expect(bodyOf(draft, { ...typed, person: 'p' })).toMatchObject({ contactId: 'p' })
  expect(bodyOf(draft, { ...typed, person: 'p' })).not.toHaveProperty('example')
})

it('says what the event says, where it is an event that lets people in', () => {
  const typed = { ...FIRST_TRIAL, values: '{"sku": "TEA-1"}' }
  expect(bodyOf(ordered, typed)).toMatchObject({ properties: { sku: 'TEA-1' } })
  expect(bodyOf(draft, typed)).not.toHaveProperty('properties')
  expect(bodyOf(ordered, { ...typed, values: '{' })).toBeNull()
  expect(bodyOf(draft, { ...typed, values: '{' })).not.toBeNull()
})
