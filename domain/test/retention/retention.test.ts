import fc from 'fast-check'
import { expect, test } from 'vitest'
import { retention, weekOf, weeksBefore } from '../../src/retention/retention.ts'

const DAY_MS = 86_400_000
const moments = fc.date({ min: new Date('1990-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })

test('a week is named by the date of its Monday, and names sort as weeks do', () => {
  expect(weekOf('2026-11-23T00:00:00.000Z')).toBe('2026-11-23')
  expect(weekOf('2026-11-22T23:59:59.999Z')).toBe('2026-11-16')
  fc.assert(
    fc.property(moments, moments, (one, other) => {
      const week = weekOf(one.toISOString())
      expect(new Date(week).getUTCDay()).toBe(1)
      const days = (one.getTime() - Date.parse(week)) / DAY_MS
      expect(days >= 0 && days < 7).toBe(true)
      if (one <= other) expect(week <= weekOf(other.toISOString())).toBe(true)
    }),
  )
})

test('the weeks before a moment end with the one before its own', () => {
  expect(weeksBefore('2026-11-25T10:00:00.000Z', 3)).toEqual(['2026-11-16', '2026-11-09', '2026-11-02'])
})

test('an end is said once, for each kind, and is never taken back', () => {
  const end = (kind: 'client' | 'content', until: string) => ({ type: 'EndDetails', data: { kind, until } }) as const
  const first = retention.decide(end('client', '2026-11-16'), retention.initialState)
  expect(first).toEqual([{ type: 'DetailsEnded', data: { kind: 'client', until: '2026-11-16' } }])
  const ended = first.reduce(retention.evolve, retention.initialState)
  expect(retention.decide(end('client', '2026-11-16'), ended)).toEqual([])
  expect(retention.decide(end('client', '2026-11-09'), ended)).toEqual([])
  expect(retention.decide(end('client', '2026-11-23'), ended)).toHaveLength(1)
  expect(retention.decide(end('content', '2026-11-09'), ended)).toHaveLength(1)
})
