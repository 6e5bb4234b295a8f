import { isCountry } from '@tidings/addresses'
import { DEFAULT_PORTS } from '../default-ports.ts'
import { addressIn, checksCertificate, decodedPart, hostIn } from '../provider-address.ts'

/** `statuses`: of submit_sm_resp. `errors`: the `err` of receipts, as they write it. */
export type OptOutCodes = Readonly<{ statuses: readonly number[]; errors: readonly string[] }>

/** How an SMSC is reached, and as whom. */
export type SmscAddress = Readonly<{
  host: string
  port: number
  tls: boolean
  verify: boolean
  systemId: string
  password: string
  systemType: string
  /** How many submit_sm may wait for their answers. */
  window: number
  /** Milliseconds without a PDU after which enquire_link asks whether the SMSC is there. */
  enquireMs: number
  /** Codes of this SMSC by which it says that the recipient asked it to stop: no standard has one. */
  optOut: OptOutCodes
  /** The country whose numbers the SMSC writes as they are dialled inside it (ISO 3166 alpha-2); null if there is none. */
  country: string | null
}>

const WHAT = 'The SMS provider'
const FORM = {
  what: WHAT,
  form: 'smpp://user:pass@host:port',
  options: ['window', 'enquire', 'system_type', 'country', 'optout_status', 'optout_err', 'verify'],
}

/**
 * Reads `smpp://user:pass@host:port`, or `smpps://…` for TLS from the first byte. Options: `window` (10), `enquire` in seconds (30),
 * `system_type`, `country` (ISO 3166 alpha-2) of numbers that it writes without their calling code, `verify=off` for a certificate that is not checked, and `optout_status` and `optout_err`, the SMSC's own codes with commas
 * for a recipient that opted out (M49). Throws one sentence, which has no credentials.
 */
export function smscAddress(address: string): SmscAddress {
  const url = addressIn(address, FORM)
  const tls = url.protocol === 'smpps:'
  if (url.username === '') throw new Error(`${WHAT} needs a user: ${FORM.form}.`)
  return {
    host: hostIn(url),
    port: url.port === '' ? (tls ? DEFAULT_PORTS.smpps : DEFAULT_PORTS.smpp) : Number(url.port),
    tls,
    verify: checksCertificate(url, WHAT),
    systemId: decodedPart(url.username, WHAT),
    password: decodedPart(url.password, WHAT),
    systemType: url.searchParams.get('system_type') ?? '',
    window: wholeNumber(url, 'window', { or: 10, max: 1_000 }),
    enquireMs: wholeNumber(url, 'enquire', { or: 30, max: 3_600 }) * 1_000,
    country: countryIn(url),
    optOut: { statuses: codes(url, 'optout_status', STATUS).map(Number), errors: codes(url, 'optout_err', ERROR) },
  }
}

function countryIn(url: URL): string | null {
  const country = url.searchParams.get('country')?.toUpperCase() ?? null
  if (country === null || isCountry(country)) return country
  throw new Error("The SMS provider's country must be two letters, such as IL.")
}

/** Decimal, or hexadecimal behind 0x. */
const STATUS = /^(?:0x[0-9a-f]{1,8}|\d{1,10})$/i
const ERROR = /^[\w-]{1,16}$/

function codes(url: URL, name: string, form: RegExp): readonly string[] {
  const all = (url.searchParams.get(name) ?? '').split(',').filter((code) => code !== '')
  if (all.length <= 50 && all.every((code) => form.test(code))) return all
  throw new Error(`The SMS provider's ${name} must be codes with commas between them.`)
}

function wholeNumber(url: URL, name: string, { or, max }: Readonly<{ or: number; max: number }>): number {
  const text = url.searchParams.get(name)
  if (text === null) return or
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value
  throw new Error(`The SMS provider's ${name} must be a whole number from 1 to ${max}.`)
}
