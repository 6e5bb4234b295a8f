/** The port of an address that says none, by its protocol: of submission (RFC 8314 §3.3), and that which is registered for SMPP and usual for it over TLS. */
export const DEFAULT_PORTS = { smtp: 587, smtps: 465, smpp: 2775, smpps: 3550 } as const
