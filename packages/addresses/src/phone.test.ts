import fc from 'fast-check'
import { type CountryCode, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js/min'
import metadata from 'libphonenumber-js/min/metadata' with { type: 'json' }
import examples from 'libphonenumber-js/mobile/examples' with { type: 'json' }
import { describe, expect, it } from 'vitest'
import { numberingOf } from './calling-codes.ts'
import { normalizePhone } from './phone.ts'

const countries = Object.keys(metadata.countries) as CountryCode[]

describe('a phone number', () => {
  it.each([
    ['+972 50-123-4567', '+972501234567'],
    ['00972(50)1234567', '+972501234567'],
    ['050-123.4567', '+972501234567'],
    ['972501234567', '+972501234567'],
    ['+1 (415) 555-2671', '+14155552671'],
    ['+12345678', '+12345678'],
    ['+123456789012345', '+123456789012345'],
  ])('%s is stored as %s', (raw, stored) => {
    expect(normalizePhone(raw, 'IL')).toBe(stored)
  })

  it.each([
    '',
    '+',
    'abc',
    '+1234567',
    '+1234567890123456',
    '+0501234567',
    '000501234567',
    '501234567',
    '+97250x234567',
    '++972501234567',
    '05',
    '٠٥٠١٢٣٤٥٦٧',
  ])('%j is none', (raw) => {
    expect(normalizePhone(raw, 'IL')).toBeNull()
  })

  it('keeps the leading zero where it belongs to the number', () => {
    expect(normalizePhone('0', 'IT')).toBeNull()
    expect(normalizePhone('06 6982 1234', 'IT')).toBe('+390669821234')
    expect(normalizePhone('06 30 123 4567', 'HU')).toBe('+36301234567')
  })

  it('has no local form where no number begins with a zero, or the country is unknown', () => {
    expect(normalizePhone('0415 555 2671', 'US')).toBeNull()
    expect(normalizePhone('050-1234567', 'ZZ')).toBeNull()
  })

  it('is the same however often it is normalised', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'+0123456789 -().'), maxLength: 32 }),
        fc.constantFrom('IL', 'US', 'IT', 'HU'),
        (raw, country) => {
          const once = normalizePhone(raw, country)
          if (once !== null) expect(normalizePhone(once, country)).toBe(once)
        },
      ),
    )
  })
})

describe('the table of calling codes', () => {
  it('knows every country that libphonenumber knows, with its calling code', () => {
    expect(countries.length).toBeGreaterThan(240)
    for (const country of countries) {
      expect([country, numberingOf(country)?.callingCode]).toEqual([country, getCountryCallingCode(country)])
    }
  })

  it('reads the national form of a mobile number as libphonenumber does, wherever that begins with a zero', () => {
    // Argentina writes its mobile numbers with a 15 inside that no simple rule turns into the international 9.
    const compared = countries.filter((country) => country !== 'AR')
    let read = 0
    for (const country of compared) {
      const example = getExampleNumber(country, examples)
      const national = example?.formatNational() ?? ''
      if (!example || !national.startsWith('0')) continue
      read++
      expect([country, normalizePhone(national, country)]).toEqual([country, example.number])
    }
    expect(read).toBeGreaterThan(80)
  })
})
