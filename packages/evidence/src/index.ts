export { CONSENT_CHANNELS, type ConsentEntry, type ConsentState } from './consent/consent-at.ts'
export { readConsent, type WantedConsent } from './consent/read-consent.ts'
export { parseMoment } from './parse-moment.ts'
