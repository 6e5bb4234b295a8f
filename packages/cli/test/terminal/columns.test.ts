import { expect, test } from 'vitest'
import { columns } from '../../src/terminal/fact-lines.ts'

test('cells stand under each other, and the last of a row takes no more room than it needs', () => {
  expect(columns([['email', 'subscribed', 'by checkout'], ['sms', 'cleaned', 'x'], ['a long one']])).toEqual([
    'email  subscribed  by checkout',
    'sms    cleaned     x',
    'a long one',
  ])
  expect(columns([])).toEqual([])
})
