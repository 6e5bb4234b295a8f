import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isTimezone, quietUntil } from '../../src/marketing/quiet-hours.ts'

const night = { from: '21:00', to: '08:00' }
const until = (at: string, hours = night, ...timezones: (string | null)[]): string | null => {
  const end = quietUntil(Date.parse(at), hours, timezones)
  return end === null ? null : new Date(end).toISOString()
}

it('quiet hours over midnight end in the morning, and the end itself is not quiet', () => {
  expect(until('2026-11-22T22:30:15.500Z')).toBe('2026-11-23T08:00:00.000Z')
  expect(until('2026-11-23T07:59:59.999Z')).toBe('2026-11-23T08:00:00.000Z')
  expect(until('2026-11-23T08:00:00.000Z')).toBeNull()
  expect(until('2026-11-23T20:59:59.999Z')).toBeNull()
  expect(until('2026-11-23T21:00:00.000Z')).toBe('2026-11-24T08:00:00.000Z')
})

it('quiet hours within a day end on that day, and as long as nothing there are none', () => {
  expect(until('2026-11-22T12:30:00.000Z', { from: '12:00', to: '14:00' })).toBe('2026-11-22T14:00:00.000Z')
  expect(until('2026-11-22T14:30:00.000Z', { from: '12:00', to: '14:00' })).toBeNull()
  expect(until('2026-11-22T12:30:00.000Z', { from: '12:00', to: '12:00' })).toBeNull()
})

it("counts in the contact's time zone, else in the workspace's, and an unknown one is none", () => {
  expect(until('2026-11-22T20:00:00.000Z', night, 'Asia/Jerusalem', 'UTC')).toBe('2026-11-23T06:00:00.000Z')
  expect(until('2026-11-22T20:00:00.000Z', night, null, 'Asia/Kolkata')).toBe('2026-11-23T02:30:00.000Z')
  expect(until('2026-11-22T20:00:00.000Z', night, 'Narnia/Lamppost', 'Asia/Jerusalem')).toBe('2026-11-23T06:00:00.000Z')
  expect(until('2026-11-22T20:00:00.000Z', night, 'Narnia/Lamppost')).toBeNull()
  expect(isTimezone('Narnia/Lamppost')).toBe(false)
})

it('ends by the clock on the wall in the nights in which clocks change', () => {
  // Paris, 2026: forward on 29 March, back on 25 October.
  expect(until('2026-03-28T21:00:00.000Z', night, 'Europe/Paris')).toBe('2026-03-29T06:00:00.000Z')
  expect(until('2026-10-24T21:00:00.000Z', night, 'Europe/Paris')).toBe('2026-10-25T07:00:00.000Z')
})

it('always ends later, at a moment that is not quiet, within 25 hours', () => {
  const time = fc
    .integer({ min: 0, max: 1_439 })
    .map((m) => `${String(Math.floor(m / 60)).padStart(2, '0')}:${String(m % 60).padStart(2, '0')}`)
  const moment = fc.date({ min: new Date('2026-01-01'), max: new Date('2027-01-01'), noInvalidDate: true }).map((date) => date.getTime())
  const zone = fc.constantFrom('UTC', 'Asia/Jerusalem', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Apia')
  fc.assert(
    fc.property(moment, time, time, zone, (at, from, to, timezone) => {
      const end = quietUntil(at, { from, to }, [timezone])
      if (end === null) return
      expect(end).toBeGreaterThan(at)
      expect(end - at).toBeLessThanOrEqual(25 * 3_600_000)
      // A second look ends it where the clocks changed.
      const again = quietUntil(end, { from, to }, [timezone])
      if (again !== null) expect(quietUntil(again, { from, to }, [timezone])).toBeNull()
    }),
  )
})
