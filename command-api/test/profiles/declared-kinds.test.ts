import type { CustomFieldKind } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import { checkDeclaredDates, readDeclaredTexts } from '../../src/profiles/declared-kinds.ts'

const kinds = new Map<string, CustomFieldKind>([
  ['birthday', 'date'],
  ['size', 'number'],
  ['vip', 'boolean'],
  ['__proto__', 'number'],
])
const BAD_DATE = '2026-02-30'
/** So many made-up properties, each with a value that would be judged, come before the declared ones. */
const madeUp = Object.fromEntries(Array.from({ length: 190 }, (_, n) => [`made-up-${n}`, n % 2 === 0 ? BAD_DATE : '1']))

describe('a declared property', () => {
  it.each([0, 190])('behind %i others that are made up is judged alike', (count) => {
    const others = Object.fromEntries(Object.entries(madeUp).slice(0, count))
    const refused = { kinds, properties: { ...others, birthday: BAD_DATE }, named: 'fields' }
    expect(() => checkDeclaredDates(refused)).toThrow('fields.birthday must be a valid ISO 8601 date string')
    expect(() => readDeclaredTexts(refused)).toThrow('fields.birthday')
    const taken = { kinds, properties: { ...others, birthday: '2026-02-28', size: '42', vip: 'true' }, named: 'fields' }
    expect(readDeclaredTexts(taken)).toEqual({ ...others, birthday: '2026-02-28', size: 42, vip: true })
  })

  it('is named as the prototype of an object, and that of no declaration is read as it came', () => {
    const properties = Object.fromEntries([
      ['__proto__', '7'],
      ['constructor', '7'],
    ])
    expect(Object.entries(readDeclaredTexts({ kinds, properties, named: 'fields' }))).toEqual([
      ['__proto__', 7],
      ['constructor', '7'],
    ])
  })
})
