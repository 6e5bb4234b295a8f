import { expect, test } from 'vitest'
import { tableLines } from '../../src/commands/projection-rows.ts'
import { columns } from '../../src/terminal/fact-lines.ts'

test('cells stand under each other, and the last of a row takes no more room than it needs', () => {
  expect(columns([['email', 'subscribed', 'by checkout'], ['sms', 'cleaned', 'x'], ['a long one']])).toEqual([
    'email  subscribed  by checkout',
    'sms    cleaned     x',
    'a long one',
  ])
  expect(columns([])).toEqual([])
})

test('rows of a table stand under the names of its columns', () => {
  expect(
    tableLines([
      { day: '2026-01-01', opt_ins: 12, by: { form: 3 } },
      { day: '2026-01-02', opt_ins: 7, by: null },
    ]),
  ).toEqual(['day         opt_ins  by', '2026-01-01  12       {"form":3}', '2026-01-02  7        null'])
  expect(tableLines([])).toEqual([])
})
