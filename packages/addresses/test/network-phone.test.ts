import { describe, expect, it } from 'vitest'
import { asDialled, dialledNumber, networkPhone, normalizePhone, numbersDialled, phoneBeside } from '../src/phone.ts'

describe('a number as a network writes it', () => {
  it.each([
    ['0501234567', 'IL', false, '+972501234567'],
    ['050-123-4567', 'IL', true, '+972501234567'],
    ['501234567', 'IL', false, '+972501234567'],
    ['501234567', 'IL', true, '+972501234567'],
    ['972501234567', 'IL', false, '+972501234567'],
    ['\u200e0501234567', 'IL', false, '+972501234567'],
    ['4155552671', 'US', false, '+14155552671'],
    ['01701234567', 'DE', false, '+491701234567'],
    ['1701234567', 'DE', true, '+491701234567'],
    ['491701234567', 'IL', false, null],
    ['12345', 'IL', false, null],
    ['ACME', 'IL', false, null],
  ] as const)('%s in %s (national: %s) is %s', (written, country, isNational, number) => {
    expect(networkPhone(written, country, isNational)).toBe(number)
  })

  it.each([
    ['0501234567', '+972501110000', '+972501234567'],
    ['050-123-4567', '+972501110000', '+972501234567'],
    ['01701234567', '+4915200', '+491701234567'],
    ['0501234567', '', null],
    ['0501234567', 'SHOP', null],
    ['501234567', '+972501110000', null],
  ])('%s beside %s is %s', (written, other, number) => {
    expect(phoneBeside(written, other)).toBe(number)
  })
})

describe('a number as it is dialled inside its country', () => {
  it.each([
    ['+972501234567', '0501234567'],
    ['+491701234567', '01701234567'],
    ['+36201234567', '06201234567'],
    ['+390612345678', '0612345678'],
  ])('%s is one of those that are dialled like %s', (number, dialled) => {
    expect(asDialled(number)).toBe(dialled)
    expect(numbersDialled(dialled)).toContain(number)
    expect(dialledNumber(`\u200e${dialled.slice(0, 3)}-${dialled.slice(3)}`)).toBe(dialled)
  })

  it.each(['', 'SHOP', '12345', '0123', '501234567', '+972501234567', '00972501234567', '050****567'])('is not %j', (raw) => {
    expect(dialledNumber(raw)).toBeNull()
  })

  it('is one of some hundred numbers at most, each of which is stored like that', () => {
    const numbers = numbersDialled('0501234567')
    expect([numbers.length, new Set(numbers).size]).toEqual([expect.any(Number), numbers.length])
    expect(numbers.length).toBeLessThan(220)
    for (const number of numbers) expect(normalizePhone(number, 'IL')).toBe(number)
  })
})
