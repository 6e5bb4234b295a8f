import { normalizeEmail, normalizePhone } from '@tidings/addresses'
import type { addressFields, ProfileBody } from '@tidings/contracts'
import type { Directory } from '@tidings/directory'
import {
  type ConsentChannel,
  type ConsentStatement,
  type ConsentStatus,
  type ContactField,
  type ContactPatch,
  detailsIn,
  isImpossibleDate,
  type Json,
  Refused,
  type WorkspaceId,
} from '@tidings/domain'
import type { FastifyRequest } from 'fastify'
import { checkDeclaredDates } from './declared-kinds.ts'

/** The codes that writing a profile may be refused with. */
export const profileWriteRefusals = [
  ...(['contact_email_taken', 'contact_phone_taken', 'invalid_phone', 'invalid_email'] as const),
  ...(['custom_properties_too_large', 'custom_properties_too_many_keys'] as const),
] as const

const DEFAULT_SOURCE = 'api'

type Consents = Readonly<{
  [Channel in ConsentChannel as `${Channel}Consent`]?: ConsentStatus
}> &
  Readonly<{ [Channel in ConsentChannel as `${Channel}ConsentSource`]?: string }>

/** The consents of a body, with their evidence (contract: Consent; N188). */
export function consentStatements(body: Consents, request: FastifyRequest): readonly ConsentStatement[] {
  const userAgent = request.headers['user-agent'] ?? null
  const said = (channel: ConsentChannel, status: ConsentStatus | undefined, source: string | undefined): readonly ConsentStatement[] =>
    status === undefined ? [] : [{ channel, status, source: source || DEFAULT_SOURCE, ip: request.clientAddress, userAgent }]
  return [
    ...said('email', body.emailConsent, body.emailConsentSource),
    ...said('sms', body.smsConsent, body.smsConsentSource),
    ...said('push', body.pushConsent, body.pushConsentSource),
  ]
}

/** As a body says them. A field of a contact that the bodies do not have does not compile. */
type SaidDetails = Pick<ProfileBody, ContactField>

/** The fields of a body that are no details: they are read by `pointValues`, `consentStatements`, or the route that has it. */
type ReadElsewhere =
  | 'email'
  | 'newEmail'
  | 'phone'
  | `${ConsentChannel}Consent`
  | `${ConsentChannel}ConsentSource`
  | (typeof addressFields)[number]

/** A field that nothing here reads: a body that has one does not compile, as it would be accepted and dropped. */
type NothingElse<Body> = { readonly [Field in Exclude<keyof Body, ContactField | ReadElsewhere>]: never }

/** The body's details; a missing field stays as it is. Throws 400 for a date that no month has, where its property is declared to be a date. */
export async function contactPatch<Body extends SaidDetails>(
  { directory }: Readonly<{ directory: Directory }>,
  workspaceId: WorkspaceId,
  body: Body & NothingElse<Body>,
): Promise<ContactPatch> {
  // What came out of JSON is JSON.
  const properties = body.customProperties as Readonly<Record<string, Json>> | undefined
  // Few bodies have such a value: the others need not know what is declared.
  if (properties !== undefined && Object.values(properties).some(isImpossibleDate))
    checkDeclaredDates({ kinds: await directory.customFields(workspaceId), properties, named: 'customProperties' })
  return detailsIn({ ...body, customProperties: properties })
}

const e164 = (phone: string, country: string): string => {
  const number = normalizePhone(phone, country)
  if (number === null) throw new Refused('invalid_phone')
  return number
}

/** Email and phone in their stored form; throws `Refused('invalid_phone')`. `country`: the workspace's default region. */
export function pointValues(
  { email, phone }: Readonly<{ email?: string; phone?: string }>,
  country: string,
): Readonly<{ email?: string; phone?: string }> {
  return {
    ...(email !== undefined && { email: normalizeEmail(email) }),
    ...(phone !== undefined && { phone: e164(phone, country) }),
  }
}
