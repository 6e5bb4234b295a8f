import { expect, test } from 'vitest'
import { parseMoment } from '../src/parse-moment.ts'

test.each([
  ['2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['2026-11-21T09:00Z', '2026-11-21T09:00:00.000Z'],
  ['2026-11-21T09:00:00.5+02:00', '2026-11-21T07:00:00.500Z'],
  ['2026-11-21T23:30:00-0130', '2026-11-22T01:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
])('%s is a moment', (text, moment) => {
  expect(parseMoment(text)).toBe(moment)
})

test.each([
  '',
  'now',
  '2026',
  '2026-11',
  '2026-02-29',
  '2026-02-31T00:00:00Z',
  '2026-13-01',
  '2026-11-21T09:00',
  '2026-11-21T25:00Z',
  '21.11.2026',
  '+102026-11-21',
])('%j is none', (text) => {
  expect(parseMoment(text)).toBeNull()
})
