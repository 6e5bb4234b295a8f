import { describe, expect, it } from 'vitest'
import { namedSteps, ticksOf } from '../../src/ui/chart-scale.ts'
import { daysOf, periodNamed, shareOf, stepText } from '../../src/ui/period.ts'
import { zoneNamed } from '../../src/ui/zoned-time.ts'

const own = Intl.DateTimeFormat().resolvedOptions().timeZone

describe('the period of the address', () => {
  it.each([[null], [''], ['0'], ['-1'], ['3650'], ['30 days'], ['1e1']])('is the last thirty days for %s', (text) => {
    expect(periodNamed(text)).toBe(30)
  })
  it('is what it says, if that can be chosen', () => {
    expect(['1', '7', '365'].map(periodNamed)).toEqual([1, 7, 365])
  })
  it.each([[null], [''], ['Mars/Olympus'], ['<script>']])('is in the zone of the browser for %s', (text) => {
    expect(zoneNamed(text, own)).toBe(own)
  })
  it('ends on the day that it is in the zone, whatever day that is here', () => {
    const now = new Date('2026-03-01T10:30:00Z')
    expect(daysOf(1, 'Pacific/Kiritimati', now)).toEqual({ from: '2026-03-02', to: '2026-03-02', step: 'hour' })
    expect(daysOf(7, 'Pacific/Pago_Pago', now)).toEqual({ from: '2026-02-22', to: '2026-02-28', step: 'day' })
    expect(daysOf(365, 'UTC', new Date('2024-12-31T00:00:00Z')).from).toBe('2024-01-02')
  })
  it('has steps in the words of its zone', () => {
    const at = '2026-03-01T22:30:00.000Z'
    expect(stepText(at, { locale: 'en', zone: 'Asia/Jerusalem', step: 'day' })).toBe('Mar 2')
    expect(stepText(at, { locale: 'en-GB', zone: 'Asia/Kolkata', step: 'hour' })).toBe('04:00')
  })
})

it.each([
  [0, 0, null],
  [5, 0, null],
  [2, 1, null],
  [1, 3, '33.3%'],
  [7, 7, '100%'],
  [0, 7, '0%'],
])('%d of %d is the share %s', (part, whole, share) => {
  expect(shareOf(part, whole, 'en')).toBe(share)
})

describe('the axes of a chart', () => {
  it.each([0, 1, 2, 3, 4, 5, 7, 9, 10, 11, 99, 100, 101, 12_345, 999_999, 10_000_001])(
    'have round marks from nothing to over %d',
    (greatest) => {
      const ticks = ticksOf(greatest)
      expect(ticks[0]).toBe(0)
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(greatest)
      expect(ticks.length).toBeLessThanOrEqual(6)
      expect(ticks.every((tick, n) => Number.isInteger(tick) && tick === n * (ticks[1] ?? 0))).toBe(true)
    },
  )
  it('name as many steps as there is room for', () => {
    expect(namedSteps(24, 6)).toEqual([0, 4, 8, 12, 16, 20])
    expect(namedSteps(3, 100)).toEqual([0, 1, 2])
    expect(namedSteps(400, 0)).toEqual([0])
    expect(namedSteps(0, 5)).toEqual([])
  })
})
