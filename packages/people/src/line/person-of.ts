import { normalizeEmail, normalizePhone } from '@tidings/addresses'
import { type ProfileBody, UpsertProfileBody } from '@tidings/contracts'
import { type ConsentStatus, type ContactPatch, contactTextNames, detailsIn, type Json } from '@tidings/domain'
import { bodyFault } from '@tidings/http/body-fault'
import type { Field } from '../file/columns.ts'
import { splitTexts } from '../file/csv-cell.ts'
import { type GivenConsent, givenConsents, LineRefused } from './given-consents.ts'
import { type CustomFieldKinds, propertiesOf } from './property-cells.ts'

export type SaidConsent = Omit<GivenConsent, 'status'> & Readonly<{ status: ConsentStatus }>

/** What a line says of a person: its addresses in their one form, and only what the line has. */
export type Person = Readonly<{ email?: string; phone?: string; details: ContactPatch; consents: readonly SaidConsent[] }>

/** `country`: of local phone numbers. `now`: no consent was given later. */
export type Reading = Readonly<{ country: string; kinds: CustomFieldKinds; now: string }>

const faultOf = bodyFault(UpsertProfileBody)

/** The person of a line, checked as a request for it would be. Throws `LineRefused`. */
export function personOf(cells: ReadonlyMap<Field, unknown>, { country, kinds, now }: Reading): Person {
  const email = textOf(cells.get('email'))
  const phone = textOf(cells.get('phone'))
  if (email === undefined && phone === undefined) throw new LineRefused('it has neither an email nor a phone')
  const given = givenConsents(cells, now)
  const tags = cells.get('tags')
  const customProperties = propertiesOf(cells, kinds)
  const said: Record<string, unknown> = {
    ...(email !== undefined && { email }),
    ...(phone !== undefined && { phone }),
    ...Object.fromEntries(contactTextNames.flatMap((field) => (cells.has(field) ? [[field, cells.get(field)]] : []))),
    ...Object.fromEntries(
      given.flatMap(({ channel, status, source }) => [
        [`${channel}Consent`, status],
        [`${channel}ConsentSource`, source],
      ]),
    ),
    ...(tags !== undefined && { tags: typeof tags === 'string' ? splitTexts(tags) : tags }),
    ...(customProperties && { customProperties }),
  }
  const fault = faultOf(said)
  if (fault !== undefined) throw new LineRefused(fault)
  // The rule of the schema has just said so.
  const body = said as ProfileBody
  return {
    ...(body.email !== undefined && { email: normalizeEmail(body.email) }),
    ...(body.phone !== undefined && { phone: numberOf(body.phone, country) }),
    details: detailsIn({ ...body, customProperties: body.customProperties as Readonly<Record<string, Json>> | undefined }),
    consents: given.map(({ channel, source, at }) => ({ channel, source, at, status: body[`${channel}Consent`] ?? 'never_subscribed' })),
  }
}

/** Programs write numbers of phones as numbers. */
const textOf = (value: unknown): unknown => (typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value)

/** `9.725E+11` is what a spreadsheet shows of a long number. */
const SHORTENED = /^[+-]?\d(?:[.,]\d+)?E\+?\d+$/i
/** What a table of floating-point numbers writes behind a whole one. */
const FRACTION = /^(\+?\d{6,15})\.0+$/

const numberOf = (phone: string, country: string): string => {
  if (SHORTENED.test(phone)) throw new LineRefused('a spreadsheet has shortened its phone: write the column as text')
  const number = normalizePhone(phone.replace(FRACTION, '$1'), country)
  if (number === null) throw new LineRefused(`its phone is no number of ${country}, and none with + and a calling code`)
  return number
}
