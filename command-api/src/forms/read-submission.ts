import { normalizeEmail } from '@tidings/addresses'
import type { SubscribeBody } from '@tidings/contracts'
import { asFormId, type ContactPatch, type FormId, isTimezone, type Json, mergeCustomProperties } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'
import { pointValues } from '../profiles/profile-input.ts'

/** The submission of a visitor, in its stored form. */
export type Submission = Readonly<{
  email: string
  phone?: string
  details: ContactPatch
  formId: FormId | null
  sourceUrl: string | null
  /** The field that no person sees was filled in. */
  isTrapped: boolean
}>

/** The native keys of `fields` and their longest values, in characters (G29; contract: Field and operation limits). */
const NATIVE = { firstName: 128, lastName: 128, phone: 40, timezone: 64, locale: 10 } as const
type NativeKey = keyof typeof NATIVE

/** The honeypot: `embed.js` adds a field of this name that only programs see. It is never stored. */
const TRAP = '_website'

/** `country`: the workspace's default region. Throws 400 for a native key that is no text or too long, `Refused('invalid_phone')`. */
export function readSubmission(body: SubscribeBody, country: string): Submission {
  const given = Object.entries(body.fields ?? {}).filter(([, value]) => value !== null)
  const native = nativeFields(given)
  const { phone = native.phone, formId, sourceUrl } = body
  const { phone: _, ...details } = native
  const custom = given.filter(([key]) => key !== TRAP && !isNative(key))
  return {
    email: normalizeEmail(body.email),
    ...pointValues(phone === undefined ? {} : { phone }, country),
    details: { ...details, ...(custom.length > 0 && { customProperties: boundedProperties(custom) }) },
    formId: formId ? asFormId(formId) : null,
    sourceUrl: sourceUrl || null,
    isTrapped: given.some(([key, value]) => key === TRAP && (typeof value !== 'string' || value.trim() !== '')),
  }
}

/** Refuses what alone is too large (M20), also where it waits for a confirmation. */
const boundedProperties = (custom: readonly (readonly [string, unknown])[]): Readonly<Record<string, Json>> =>
  // What came out of JSON is JSON.
  mergeCustomProperties({}, Object.fromEntries(custom) as Readonly<Record<string, Json>>)

const isNative = (key: string): key is NativeKey => Object.hasOwn(NATIVE, key)

const nativeFields = (given: readonly (readonly [string, unknown])[]): Readonly<Partial<Record<NativeKey, string>>> => {
  const found: Partial<Record<NativeKey, string>> = {}
  for (const [key, value] of given) {
    if (!isNative(key)) continue
    if (typeof value !== 'string') throw invalidRequest(`fields.${key} must be a string`)
    if ([...value].length > NATIVE[key]) throw invalidRequest(`fields.${key} must be shorter than or equal to ${NATIVE[key]} characters`)
    if (key === 'timezone' && value !== '' && !isTimezone(value)) throw invalidRequest('fields.timezone must be a valid IANA time-zone')
    found[key] = value
  }
  return found
}
