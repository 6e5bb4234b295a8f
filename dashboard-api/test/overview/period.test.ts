import { quarterStart } from '@tidings/read-models'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { boundariesOf } from '../../src/overview/period.ts'

const begins = (from: string, to: string, zone: string, step: 'day' | 'hour' = 'day'): readonly string[] | null =>
  boundariesOf({ from, to, zone, step })?.map((quarter) => new Date(quarterStart(quarter)).toISOString()) ?? null

/** The hours of each day. */
const lengths = (from: string, to: string, zone: string): readonly number[] => {
  const all = boundariesOf({ from, to, zone, step: 'day' }) ?? []
  return all.slice(1).map((end, n) => (end - (all[n] ?? 0)) / 4)
}

describe('days of a zone', () => {
  it.each([
    ['UTC', '2026-11-03T00:00:00.000Z'],
    ['Asia/Jerusalem', '2026-11-02T22:00:00.000Z'],
    ['Asia/Kolkata', '2026-11-02T18:30:00.000Z'],
    ['Asia/Kathmandu', '2026-11-02T18:15:00.000Z'],
    ['Pacific/Kiritimati', '2026-11-02T10:00:00.000Z'],
    ['Pacific/Chatham', '2026-11-02T10:15:00.000Z'],
    ['Etc/GMT+12', '2026-11-03T12:00:00.000Z'],
    ['+05:45', '2026-11-02T18:15:00.000Z'],
    ['+23:45', '2026-11-02T00:15:00.000Z'],
    ['-23:45', '2026-11-03T23:45:00.000Z'],
  ])('begin in %s at %s', (zone, begin) => {
    expect(begins('2026-11-03', '2026-11-03', zone)).toEqual([begin, new Date(Date.parse(begin) + 86_400_000).toISOString()])
  })

  it.each([
    ['spring forward', 'Asia/Jerusalem', '2026-03-27', 23],
    ['fall back', 'Asia/Jerusalem', '2026-10-25', 25],
    ['change by half an hour', 'Australia/Lord_Howe', '2026-04-05', 24.5],
    ['begin at one o’clock', 'America/Sao_Paulo', '2018-11-04', 23],
    ['have their last hour twice', 'America/Sao_Paulo', '2018-02-17', 25],
    ['were left out', 'Pacific/Apia', '2011-12-30', 0],
  ])('that %s', (_, zone, day, hours) => {
    const before = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
    const after = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
    expect(lengths(before, after, zone)).toEqual([24, hours, 24])
    expect(lengths(day, day, zone)).toEqual([hours])
  })

  it('have as many hours as they are long', () => {
    const hours = begins('2026-10-25', '2026-10-25', 'Asia/Jerusalem', 'hour') ?? []
    expect([hours.length, hours[0], hours.at(-1)]).toEqual([26, '2026-10-24T21:00:00.000Z', '2026-10-25T22:00:00.000Z'])
    expect(begins('2026-04-05', '2026-04-05', 'Australia/Lord_Howe', 'hour')).toHaveLength(26)
  })
})

describe('no period is', () => {
  it.each([
    ['an end before its beginning', '2026-11-03', '2026-11-02', 'UTC', 'day'],
    ['a day that its month does not have', '2026-02-29', '2026-03-01', 'UTC', 'day'],
    ['no time zone', '2026-11-03', '2026-11-03', 'Mars/Olympus', 'day'],
    ['an empty time zone', '2026-11-03', '2026-11-03', '', 'day'],
    ['ten years', '2016-11-03', '2026-11-02', 'UTC', 'day'],
    ['401 days', '2025-01-01', '2026-02-05', 'UTC', 'day'],
    ['32 days by the hour', '2026-10-01', '2026-11-01', 'UTC', 'hour'],
  ] as const)('%s', (_, from, to, zone, step) => {
    expect(boundariesOf({ from, to, zone, step })).toBeNull()
  })

  it('but 400 days are, and 31 by the hour', () => {
    expect(boundariesOf({ from: '2025-01-01', to: '2026-02-04', zone: 'UTC', step: 'day' })).toHaveLength(401)
    expect(boundariesOf({ from: '2026-10-01', to: '2026-10-31', zone: 'UTC', step: 'hour' })).toHaveLength(31 * 24 + 1)
  })
})

const zones = Intl.supportedValuesOf('timeZone')

test('days of any zone follow each other without a gap, and what is local midnight is asked of the zone', () => {
  const day = fc.integer({ min: 0, max: 365 * 60 }).map((n) => new Date(n * 86_400_000).toISOString().slice(0, 10))
  fc.assert(
    fc.property(fc.constantFrom(...zones), day, fc.integer({ min: 0, max: 20 }), (zone, from, more) => {
      const to = new Date(Date.parse(from) + more * 86_400_000).toISOString().slice(0, 10)
      const all = boundariesOf({ from, to, zone, step: 'day' }) ?? []
      const local = new Intl.DateTimeFormat('en-CA', { timeZone: zone })
      expect(all).toHaveLength(more + 2)
      for (const [n, quarter] of all.entries()) {
        const wanted = new Date(Date.parse(from) + n * 86_400_000).toISOString().slice(0, 10)
        expect(local.format(quarterStart(quarter)) >= wanted).toBe(true)
        expect(local.format(quarterStart(quarter - 1)) < wanted).toBe(true)
      }
    }),
    { numRuns: 150 },
  )
})
