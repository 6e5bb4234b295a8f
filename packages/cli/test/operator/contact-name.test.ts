import { expect, test } from 'vitest'
import { contactName } from '../../src/operator/existing-contact.ts'
import { WrongUsage } from '../../src/terminal/answer.ts'

test('a text that is no UUID, email or phone is wrong usage', () => {
  expect(contactName('eve@example.test')).toEqual({ kind: 'email', value: 'eve@example.test' })
  expect(() => contactName('eve')).toThrow(WrongUsage)
})
