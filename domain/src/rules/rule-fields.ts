import { contactFields } from '../contact/contact.events.ts'
import type { RuleOp } from './rule.ts'

const TEXT = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'contains', 'in', 'exists'] as const
const BOOLEAN = ['eq', 'ne', 'exists'] as const
const TIME = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'exists', 'within_days'] as const
const COUNT = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'exists'] as const
const LIST = ['eq', 'ne', 'contains', 'in', 'exists'] as const
const ANY = [...TEXT, 'within_days'] as const

/** The operators that each kind of field has. */
export const OPS_OF: Readonly<Record<FieldKind, readonly RuleOp[]>> = {
  text: TEXT,
  boolean: BOOLEAN,
  time: TIME,
  count: COUNT,
  tags: LIST,
  property: ANY,
}

export type FieldKind = 'text' | 'boolean' | 'time' | 'count' | 'tags' | 'property'

const { tags: _, customProperties: __, ...ownFields } = contactFields

/** The profile's own fields that a rule may name, by their public names. */
const PROFILE_FIELDS = {
  id: 'text',
  email: 'text',
  phone: 'text',
  ...ownFields,
  rfmTier: 'text',
  emailConsent: 'text',
  smsConsent: 'text',
  pushConsent: 'text',
  emailValidationState: 'text',
  emailConsentTimestamp: 'time',
  smsConsentTimestamp: 'time',
  pushConsentTimestamp: 'time',
  createdAt: 'time',
  updatedAt: 'time',
  emailSuppressed: 'boolean',
  smsSuppressed: 'boolean',
} as const satisfies Readonly<Record<string, FieldKind>>
export type ProfileField = keyof typeof PROFILE_FIELDS

/** By their public names, as somebody may choose one. */
export const RULE_PROFILE_FIELDS: readonly string[] = Object.keys(PROFILE_FIELDS)

/**
 * The meaning of a field: `name` in its `source`. `fact` is what changes together: the properties of a contact are written as a whole, and an
 * event counts and dates.
 */
export type RuleField = Readonly<
  { kind: FieldKind; fact: string } & (
    | { source: 'profile'; name: ProfileField }
    | { source: 'tags' }
    | { source: 'property' | 'event'; name: string }
  )
>

const NAME_MAX = 255

/** Null for a name that no field has. A property's key and an event's name may have dots in them. */
export function ruleField(field: string): RuleField | null {
  if (field === 'tags') return { kind: 'tags', fact: 'tags', source: 'tags' }
  if (isProfileField(field)) return { kind: PROFILE_FIELDS[field], fact: field, source: 'profile', name: field }
  const property = within(field, 'customProperties.', '')
  if (property !== null) return { kind: 'property', fact: 'customProperties', source: 'property', name: property }
  const counted = within(field, 'event.', '.count')
  if (counted !== null) return { kind: 'count', fact: eventFact(counted), source: 'event', name: counted }
  const dated = within(field, 'event.', '.last')
  return dated === null ? null : { kind: 'time', fact: eventFact(dated), source: 'event', name: dated }
}

/** The fact that an event of this name changes. */
export function eventFact(name: string): string {
  return `event.${name}`
}

const isProfileField = (field: string): field is ProfileField => Object.hasOwn(PROFILE_FIELDS, field)

const within = (field: string, before: string, after: string): string | null => {
  if (!field.startsWith(before) || !field.endsWith(after)) return null
  const name = field.slice(before.length, field.length - after.length)
  return name.length > 0 && name.length <= NAME_MAX ? name : null
}
