import fc from 'fast-check'
import { expect, it } from 'vitest'
import { emailKey, isValidEmail, mailboxOf, normalizeEmail } from '../src/email.ts'
import { normalizePhone } from '../src/phone.ts'
import { normalizeMobilePhone } from '../src/written-number.ts'
import { awkward, awkwardEmail, awkwardNumber, twoSpellingsOfAMobile, twoSpellingsOfAnEmail } from './spellings.testing.ts'

it('two spellings of an address are stored as one, compared as one, and arrive in one mailbox', () => {
  fc.assert(
    fc.property(twoSpellingsOfAnEmail, ({ one, other }) => {
      expect([isValidEmail(one.trim()), isValidEmail(other.trim())]).toEqual([true, true])
      expect([normalizeEmail(other), emailKey(other), mailboxOf(other)]).toEqual([normalizeEmail(one), emailKey(one), mailboxOf(one)])
    }),
    { numRuns: 2_000 },
  )
})

it('two spellings of a mobile number are one, in a profile and for a passcode', () => {
  fc.assert(
    fc.property(twoSpellingsOfAMobile, ({ one, other }) => {
      const number = normalizePhone(one, 'US')
      expect(number).toMatch(/^\+9725\d{8}$/)
      expect([normalizePhone(other, 'IL'), normalizeMobilePhone(one), normalizeMobilePhone(other)]).toEqual([number, number, number])
    }),
    { numRuns: 1_000 },
  )
})

it('whatever is read is read the same again, and a key is no longer than its bounds', () => {
  fc.assert(
    fc.property(fc.oneof(awkwardEmail, awkward(2_000)), awkwardNumber, (email, number) => {
      const stored = normalizeEmail(email)
      expect([normalizeEmail(stored), emailKey(stored)]).toEqual([stored, emailKey(email)])
      if (isValidEmail(email)) expect(emailKey(email).length).toBeLessThanOrEqual(64 + 1 + 253)
      const phone = normalizePhone(number, 'IL')
      if (phone !== null) expect(normalizePhone(phone, 'IL')).toBe(phone)
    }),
    { numRuns: 2_000 },
  )
})
