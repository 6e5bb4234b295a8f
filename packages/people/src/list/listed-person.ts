import type { Profile } from '@tidings/contracts'

/** A profile, and where its consents were given: what an import takes again. */
export type ListedPerson = Profile & Readonly<{ emailConsentSource: string | null; smsConsentSource: string | null }>
