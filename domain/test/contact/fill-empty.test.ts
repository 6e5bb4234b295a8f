import { expect, it } from 'vitest'
import { noDetails } from '../../src/contact/contact.events.ts'
import { fillingOnly } from '../../src/contact/contact-state.ts'

const known = {
  ...noDetails,
  firstName: 'Ada',
  lastName: ' ',
  customProperties: { tier: 'gold', zero: 0, no: false, list: [], none: null, blank: '' },
}

it('sets what is empty, and replaces and takes away nothing', () => {
  const said = { firstName: 'Mallory', lastName: 'Lovelace', locale: 'he', timezone: null, notes: '', tags: ['new'] }
  expect(fillingOnly(known, said)).toEqual({ lastName: 'Lovelace', locale: 'he', tags: ['new'] })
  expect(fillingOnly({ ...known, tags: ['old'] }, said)).not.toHaveProperty('tags')
})

it('adds properties that the contact does not have, a value that is no text included', () => {
  const customProperties = { tier: 'none', zero: 1, no: true, list: ['x'], none: 'now', blank: 'now', size: 3, gone: null, empty: '' }
  expect(fillingOnly(known, { customProperties })).toEqual({ customProperties: { none: 'now', blank: 'now', size: 3 } })
  expect(fillingOnly(known, { customProperties: { tier: null } })).toEqual({})
})

it('knows a property under another canonical form of its key', () => {
  const of = { ...known, customProperties: { 'cafe\u0301': 'yes' } }
  expect(fillingOnly(of, { customProperties: { 'caf\u00e9': 'no' } })).toEqual({})
})

it('keeps a property called as those of every object apart', () => {
  const customProperties = Object.fromEntries([['__proto__', 'x'] as const, ['constructor', 'y'] as const])
  expect(Object.entries(fillingOnly(known, { customProperties }).customProperties ?? {})).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ])
})

it('leaves out all properties where some do not fit, and keeps the rest', () => {
  const many = Object.fromEntries(Array.from({ length: 199 }, (_, n) => [`p${n}`, n]))
  expect(fillingOnly(known, { locale: 'he', customProperties: many })).toEqual({ locale: 'he' })
  expect(fillingOnly(known, { customProperties: { big: 'x'.repeat(33_000) } })).toEqual({})
  expect(fillingOnly({ ...known, customProperties: {} }, { customProperties: many })).toEqual({ customProperties: many })
})
