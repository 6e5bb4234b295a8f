import { expect, test } from 'vitest'
import { moment } from '../../src/program/records.ts'

test.each([
  ['2026-11-21T09:00:00Z', '2026-11-21T09:00:00.000Z'],
  ['2026-11-21T09:00+02:00', '2026-11-21T07:00:00.000Z'],
  ['2028-02-29T00:00:00.5Z', '2028-02-29T00:00:00.500Z'],
])('%s is a moment', (text, at) => {
  expect(moment(text)).toBe(at)
})

test.each([
  '2027-02-30T09:00:00Z',
  '2027-02-29T00:00Z',
  '2026-13-01T00:00Z',
  '2026-11-31T10:00:00+02:00',
  '2026-11-21',
  '2026-11-21T09:00:00',
  'tomorrow',
  '',
])('%j is none', (text) => {
  expect(() => moment(text)).toThrow('It must be a time with its zone')
})
