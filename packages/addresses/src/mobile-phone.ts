import { writtenNumber } from './written-number.ts'

const ISRAELI_MOBILE = /^\+9725\d{8}$/

/**
 * The Israeli mobile number in E.164 that a passcode can go to, or null (POST /otp/send): the spellings are those of every number (M47), but the
 * country code is not completed (G14).
 */
export function normalizeMobilePhone(raw: string): string | null {
  const number = writtenNumber(raw)
  return ISRAELI_MOBILE.test(number) ? number : null
}
