import { afterEach, expect, it, vi } from 'vitest'
import { localMinutesOf } from '../../src/marketing/time-zone.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const NOON = Date.parse('2026-11-22T12:00:00.000Z')
/** Counts the formatters that the work makes: some 40 KB each. */
const formattersMadeBy = (work: () => void): number => {
  const making = vi.spyOn(Intl, 'DateTimeFormat')
  work()
  return making.mock.calls.length
}

/** The letters of the name in upper or lower case, by the bits of a number. */
const spelling = (name: string, bits: number): string =>
  [...name].map((letter, n) => ((bits >> n) & 1 ? letter.toUpperCase() : letter.toLowerCase())).join('')

it('the spellings of one zone are one zone, and keep one formatter', () => {
  const made = formattersMadeBy(() => {
    for (let bits = 0; bits < 4_096; bits++) expect(localMinutesOf(spelling('Asia/Jerusalem', bits))?.(NOON)).toBe(14 * 60)
  })
  expect(made).toBeLessThanOrEqual(2)
})

it('two names of a zone share its formatter', () => {
  localMinutesOf('Asia/Kolkata')
  // One to find out what it is called.
  expect(formattersMadeBy(() => localMinutesOf('Asia/Calcutta'))).toBeLessThanOrEqual(1)
  expect(localMinutesOf('Asia/Calcutta')?.(NOON)).toBe(17 * 60 + 30)
})

it('an offset is reckoned without a formatter', () => {
  const made = formattersMadeBy(() => {
    for (let minutes = -23 * 60 - 59; minutes < 24 * 60; minutes++) {
      const [hour, minute] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((n) => String(n).padStart(2, '0'))
      const zone = `${minutes < 0 ? '-' : '+'}${hour}:${minute}`
      expect(localMinutesOf(zone)?.(NOON), zone).toBe((12 * 60 + minutes + 24 * 60) % (24 * 60))
    }
    expect(localMinutesOf('+0530')?.(NOON)).toBe(17 * 60 + 30)
    expect(localMinutesOf('-03')?.(NOON)).toBe(9 * 60)
  })
  expect(made).toBe(0)
})

it.each([
  '',
  ' ',
  'x'.repeat(65),
  'Narnia Lamppost',
  '🦁',
  'Asia/Jerusalem\0',
  '../../etc/passwd',
  '+24:00',
  '+5',
  'a\nb',
  '\u0130stanbul',
  'Asia/Bang\u212Aok',
])('what is written like no zone, as %j, is none and costs nothing', (zone) => {
  expect(formattersMadeBy(() => expect(localMinutesOf(zone)).toBeNull())).toBe(0)
})

it('a name that is none is asked for once', () => {
  const made = formattersMadeBy(() => {
    for (let n = 0; n < 1_000; n++) expect(localMinutesOf(spelling('Narnia/Lamppost', n))).toBeNull()
  })
  expect(made).toBeLessThanOrEqual(1)
})

it('every zone of this machine says what its own formatter says', () => {
  const at = [NOON, Date.parse('2026-07-01T23:59:59.999Z'), Date.parse('1971-01-01T00:00:00.000Z')]
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const own = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    for (const moment of at) {
      const [hour = 0, minute = 0] = own.format(moment).split(':').map(Number)
      expect(localMinutesOf(zone)?.(moment), zone).toBe(hour * 60 + minute)
    }
  }
})
