import { expect, it } from 'vitest'
import { nextSort } from '../../src/ui/sort.ts'
import { isMoving, SIGNS, toneOf } from '../../src/ui/status-tone.ts'
import { exactTime, shortTime } from '../../src/ui/time-text.ts'

const now = new Date('2026-03-10T12:00:00.000Z')
const ago = (ms: number): Date => new Date(now.getTime() - ms)
const HOUR = 3_600_000

it.each([
  [0, 'now'],
  [59_999, '59 sec. ago'],
  [60_000, '1 min. ago'],
  [HOUR, '1 hr. ago'],
  [24 * HOUR - 1, '23 hr. ago'],
  // The clock of the server is ahead.
  [-5_000, 'now'],
])('tells a time of the last day by its age: %d ms', (age, expected) => {
  expect(shortTime(ago(age), { now, locale: 'en', zone: 'UTC' })).toBe(expected)
})

it.each([
  [24 * HOUR, 'Mar 9, 2026, 12:00'],
  [-60_000, 'Mar 10, 2026, 12:01'],
  [-3 * HOUR, 'Mar 10, 2026, 3:00'],
  [-24 * HOUR, 'Mar 11, 2026, 12:00'],
])('tells an older time, and one that is to come, by its day and minute: %d ms', (age, expected) => {
  expect(shortTime(ago(age), { now, locale: 'en', zone: 'UTC' })).toContain(expected)
})

it('tells a time by the clock of the zone that the reader has chosen', () => {
  const late = new Date('2026-03-05T22:30:00.000Z')
  expect(shortTime(late, { now, locale: 'en', zone: 'UTC' })).toContain('Mar 5, 2026, 10:30')
  expect(shortTime(late, { now, locale: 'en', zone: 'Asia/Jerusalem' })).toContain('Mar 6, 2026, 12:30')
})

it('tells the exact time in UTC as well', () => {
  expect(exactTime(now, { locale: 'he', zone: 'Asia/Jerusalem' })).toContain('(2026-03-10T12:00:00.000Z)')
})

it('sorts a column upwards first, then downwards', () => {
  expect([undefined, 'email:desc', 'name:asc', 'email:asc'].map((sort) => nextSort(sort, 'email'))).toEqual([
    'email:asc',
    'email:asc',
    'email:asc',
    'email:desc',
  ])
})

it('tells states apart by a sign and not by colour alone', () => {
  expect(new Set(Object.values(SIGNS)).size).toBe(Object.keys(SIGNS).length)
  expect(['delivered', 'bounced', 'queued', 'constructor', 'a state of tomorrow'].map(toneOf)).toEqual([
    'good',
    'bad',
    'moving',
    'quiet',
    'quiet',
  ])
  expect([isMoving('queued'), isMoving('sent')]).toEqual([true, false])
})
