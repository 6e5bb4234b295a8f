import fc from 'fast-check'
import parsePhoneNumber, { type CountryCode, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js/min'
import metadata from 'libphonenumber-js/min/metadata' with { type: 'json' }
import examples from 'libphonenumber-js/mobile/examples' with { type: 'json' }
import { describe, expect, it } from 'vitest'
import { numberingOf } from '../src/calling-codes.ts'
import { normalizePhone } from '../src/phone.ts'
import { normalizeMobilePhone } from '../src/written-number.ts'

const countries = Object.keys(metadata.countries) as CountryCode[]

describe('a phone number', () => {
  it.each([
    ['+972 50-123-4567', '+972501234567'],
    ['00972(50)1234567', '+972501234567'],
    ['050-123.4567', '+972501234567'],
    ['972501234567', '+972501234567'],
    ['+1 (415) 555-2671', '+14155552671'],
    ['+12345678', '+12345678'],
    ['٠٥٠١٢٣٤٥٦٧', '+972501234567'],
    ['۰۵۰-۱۲۳-۴۵۶۷', '+972501234567'],
    ['+972 (0)52-123-4567', '+972521234567'],
    ['+9720521234567', '+972521234567'],
    ['9720521234567', '+972521234567'],
    ['00972 0 52 123 4567', '+972521234567'],
    ['+44 (0)20 7946 0018', '+442079460018'],
    ['+44 (0) 20 7946 0018', '+442079460018'],
    ['(+44)(0)2079460018', '+442079460018'],
    ['+39 06 6982 1234', '+390669821234'],
    ['+39 (0)6 6982 1234', '+390669821234'],
    ['+36 06 30 123 4567', '+36301234567'],
    ['+36 (06) 30 123 4567', '+36301234567'],
    ['+225 07 01 23 45 67', '+2250701234567'],
    ['+34 (0)612 345 678', '+34612345678'],
    ['＋４４／２０／７９４６／００１８', '+442079460018'],
    ['\u2066+972\u2069\u00a052\u2011123\u20114567', '+972521234567'],
    ['+972\u200b52\u20091234567\u200f', '+972521234567'],
    ['𝟎𝟓𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕', '+972501234567'],
    ['(0)50-1234567', '+972501234567'],
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
    '٠٥٠١٢٣٤x',
    '+97200521234567',
    '+44 (0)(0)2079460018',
    '+972521234567;ext=12',
    '+972521234567x12',
    '+972521234567#',
    '+٩٧٢\ud800521234567',
    '0'.repeat(400),
    ' '.repeat(300),
    '☎ +972521234567',
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
        fc.string({ unit: fc.constantFrom(...'+000123456789 -()./٠٩０＋（）\u200e\u2011\u00a0'), maxLength: 32 }),
        fc.constantFrom('IL', 'US', 'IT', 'HU', 'GB', 'DK'),
        (raw, country) => {
          const once = normalizePhone(raw, country)
          if (once !== null) expect(normalizePhone(once, country)).toBe(once)
        },
      ),
    )
  })
})

describe('the zero behind a country code', () => {
  // Colombia's numbers have no zero either, but libphonenumber takes `03` for the code of a carrier.
  const compared = countries.filter((country) => country !== 'CO')

  it('is dropped where libphonenumber drops it, and stays where it belongs to the number', () => {
    let dropped = 0
    for (const country of compared) {
      const example = getExampleNumber(country, examples)
      if (!example) continue
      const given = `+${example.countryCallingCode}0${example.nationalNumber}`
      const read = parsePhoneNumber(given)?.number
      const isDropped = read === example.number
      if (isDropped) dropped++
      if (isDropped || given.length <= 16) expect([country, normalizePhone(given, 'IL')]).toEqual([country, read])
    }
    expect(dropped).toBeGreaterThan(100)
  })

  it('is never behind the code of a country whose numbers have none', () => {
    for (const country of countries) {
      const numbering = numberingOf(country)
      if (numbering?.trunk !== '0') continue
      for (const zeros of ['0', '(0)', ' (0) 0', '00', '-0-']) {
        expect(normalizePhone(`+${numbering.callingCode}${zeros}212345678`, 'US')).not.toBe(`+${numbering.callingCode}0212345678`)
      }
    }
  })
})

describe('the spelling of a number', () => {
  const digits = fc
    .constantFrom('0', '٠', '۰', '０', '०', '𝟎', '𝟘')
    .map((zero) => (digit: string) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit)))
  const between = fc.string({
    unit: fc.constantFrom(
      ' ',
      '-',
      '.',
      '/',
      '\u200e',
      '\u200f',
      '\u202a',
      '\u2066',
      '\u200b',
      '\u2060',
      '\ufeff',
      '\u00a0',
      '\u202f',
      '\u3000',
      '\u2011',
      '\u2013',
      '\u2212',
      '\uff0d',
      '\uff0f',
      '\u0085',
      '\u2028',
    ),
    maxLength: 3,
  })
  const spelled = (characters: string) =>
    fc
      .array(fc.tuple(digits, between), { minLength: characters.length, maxLength: characters.length })
      .map((each) =>
        [...characters].map((one, at) => (/\d/.test(one) ? (each[at]?.[0](one) ?? one) : one) + (each[at]?.[1] ?? '')).join(''),
      )

  it('plays no part, in a profile or a passcode', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^5\d{8}$/),
        fc.constantFrom('+972', '00972', '＋972', '+972(0)', '+9720', '00972(0)'),
        fc.gen(),
        (national, code, gen) => {
          const raw = gen(spelled, code + national)
          expect(normalizePhone(raw, 'US')).toBe(`+972${national}`)
          expect(normalizeMobilePhone(raw)).toBe(`+972${national}`)
        },
      ),
    )
  })

  it('is digits of E.164 or nothing, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom('IL', 'zz', 'IT'), (raw, country) => {
        expect(normalizePhone(raw, country) ?? '+12345678').toMatch(/^\+[1-9]\d{7,14}$/)
      }),
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
