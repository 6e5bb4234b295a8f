const FINGERPRINT = /^[0-9a-f]{64}$/

/** As it is copied from a terminal, a mail or a contract: in groups, with colons, in capitals. Null for nothing, undefined for what is none. */
export function fingerprintOf(typed: string): string | null | undefined {
  const digits = typed.replace(/[\s:\p{Cf}]/gu, '').toLowerCase()
  if (digits === '') return null
  return FINGERPRINT.test(digits) ? digits : undefined
}
