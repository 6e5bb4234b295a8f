const ISRAELI_MOBILE = /^\+9725\d{8}$/

/**
 * The Israeli mobile number in E.164 that a passcode can go to, or null (POST /otp/send): spaces, hyphens, parentheses and dots do not count,
 * a leading `00` is a `+`, and nothing else is completed (G14).
 */
export function normalizeMobilePhone(raw: string): string | null {
  const bare = raw.replace(/[\s().-]/g, '')
  const number = bare.startsWith('00') ? `+${bare.slice(2)}` : bare
  return ISRAELI_MOBILE.test(number) ? number : null
}
