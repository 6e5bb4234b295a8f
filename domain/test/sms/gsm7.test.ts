import { expect, test } from 'vitest'
import { GSM7_BASIC, GSM7_EXTENSION, gsm7Length, isGsm7 } from '../../src/sms/segments.ts'

test('the default alphabet has 128 places, and the codes of 3GPP TS 23.038', () => {
  expect([...GSM7_BASIC]).toHaveLength(128)
  expect(new Set(GSM7_BASIC).size).toBe(128)
  for (const [character, code] of [
    ['@', 0x00],
    ['Δ', 0x10],
    [' ', 0x20],
    ['¡', 0x40],
    ['A', 0x41],
    ['§', 0x5f],
    ['¿', 0x60],
    ['à', 0x7f],
  ] as const)
    expect(GSM7_BASIC.indexOf(character)).toBe(code)
  for (const character of GSM7_EXTENSION.keys()) expect(GSM7_BASIC).not.toContain(character)
})

test('an extension character takes two septets', () => {
  expect(isGsm7('Total: 5 €')).toBe(true)
  expect(gsm7Length('Total: 5 €')).toBe(11)
  expect(gsm7Length('{}')).toBe(4)
  expect(gsm7Length('')).toBe(0)
})

test('what is in neither table is no GSM-7', () => {
  for (const text of ['שלום', 'ç', '😀', 'a\u001bb', '“quoted”', '\t']) expect(isGsm7(text)).toBe(false)
})
