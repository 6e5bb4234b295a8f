import { expect, it } from 'vitest'
import { localTime, zonedTime, zonesFrom } from '../../src/ui/zoned-time.ts'

it.each([
  ['2026-11-21T09:00', 'UTC', '2026-11-21T09:00:00.000Z'],
  ['2026-11-21T09:00', 'Asia/Jerusalem', '2026-11-21T07:00:00.000Z'],
  ['2026-07-21T09:00', 'Asia/Jerusalem', '2026-07-21T06:00:00.000Z'],
  ['2026-01-01T00:30', 'Asia/Kathmandu', '2025-12-31T18:45:00.000Z'],
  ['2026-06-01T12:00', 'Pacific/Kiritimati', '2026-05-31T22:00:00.000Z'],
  ['2026-06-01T12:00', 'Pacific/Niue', '2026-06-01T23:00:00.000Z'],
  ['2024-02-29T23:59', 'America/New_York', '2024-03-01T04:59:00.000Z'],
  // Clocks went forward an hour before, and half an hour in the last.
  ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
  ['2026-10-04T02:30', 'Australia/Lord_Howe', '2026-10-03T15:30:00.000Z'],
])('%s in %s is one moment', (local, zone, at) => {
  expect(zonedTime(local, zone)).toEqual({ at })
  expect(localTime(new Date(at), zone)).toBe(local)
})

it.each([
  ['2026-03-29T02:30', 'Europe/Berlin'],
  ['2026-03-08T02:00', 'America/New_York'],
  ['2026-10-04T02:15', 'Australia/Lord_Howe'],
  // A whole day is left out: the island changed the side of the date line.
  ['2011-12-30T12:00', 'Pacific/Apia'],
])('%s in %s is no time: the clocks leave it out', (local, zone) => {
  expect(zonedTime(local, zone)).toBe('gap')
})

it.each([
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
])('%s in %s comes twice, and the first is meant', (local, zone, at) => {
  expect(zonedTime(local, zone)).toEqual({ at })
})

it.each([
  ['', 'UTC'],
  ['2026-13-01T10:00', 'UTC'],
  ['2026-11-21', 'UTC'],
  ['2026-11-21T10:00:00Z', 'UTC'],
  ['2026-11-21T09:00', 'Mars/Olympus'],
])('%s in %s is refused', (local, zone) => {
  expect(zonedTime(local, zone)).toBe('invalid')
})

it('offers each zone once, the own first', () => {
  expect(zonesFrom('Asia/Jerusalem', ['Africa/Cairo', 'Asia/Jerusalem', 'UTC'])).toEqual(['Asia/Jerusalem', 'UTC', 'Africa/Cairo'])
})
