import { expect, it } from 'vitest'
import { ruleOfFile } from '../../src/workspace-file/rule-of-file.ts'

const value = (field: string, op: string, given: unknown) => {
  const rule = ruleOfFile({ all: [{ any: [{ field, op, value: given }] }] })
  return JSON.parse(JSON.stringify(rule)).all[0].any[0].value
}

it.each([
  ['email', 'eq', 'ANN@\uff47mail.com', 'ann@gmail.com'],
  ['email', 'ne', 'ann@xn--bcher-kva.example', 'ann@bücher.example'],
  ['email', 'in', ['a@B.example', 'c@mu\u0308nchen.de'], ['a@b.example', 'c@münchen.de']],
  ['email', 'contains', '@XN--BCHER-KVA.example', '@bücher.example'],
  ['email', 'contains', 'Ann', 'Ann'],
  ['email', 'exists', true, true],
  ['phone', 'eq', '+972 (0)52-123-4567', '+972521234567'],
  ['phone', 'in', ['+٩٧٢521234567', '052-1234567'], ['+972521234567', '052-1234567']],
  ['firstName', 'eq', 'Zoe\u0308', 'Zoë'],
])('%s %s %j is compared as %j', (field, op, given, stored) => {
  expect(value(field, op, given)).toEqual(stored)
})
