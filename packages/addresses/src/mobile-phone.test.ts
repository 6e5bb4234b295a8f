import { describe, expect, it } from 'vitest'
import { normalizeMobilePhone } from './mobile-phone.ts'

describe('the number that a passcode goes to', () => {
  it.each(['+972501234567', '+972 50-123-4567', '00972(50)1234567', ' +972.50.123.4567 ', '0 0 9 7 2 5 0 1 2 3 4 5 6 7'])(
    '%j is +972501234567',
    (raw) => {
      expect(normalizeMobilePhone(raw)).toBe('+972501234567')
    },
  )

  it.each([
    '',
    '0501234567',
    '972501234567',
    '+97231234567',
    '+97250123456',
    '+9725012345678',
    '++972501234567',
    '000972501234567',
    '+972٥01234567',
    '+972501234567\u0000',
    '+972/501234567',
    '+14155552671',
  ])('%j is none', (raw) => {
    expect(normalizeMobilePhone(raw)).toBeNull()
  })
})
