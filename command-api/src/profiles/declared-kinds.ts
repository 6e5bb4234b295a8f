import type { CustomFieldKinds } from '@tidings/directory'
import { type CustomFieldKind, isImpossibleDate, type Json } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'

type Properties = Readonly<Record<string, Json>>

/** `kinds`: those that the workspace has declared. `named`: what a sentence calls the properties. */
export type Received = Readonly<{ kinds: CustomFieldKinds; properties: Properties; named: string }>

/** A number as a program writes it: `042` and `+1` are texts, such as telephone numbers. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/

/** Throws 400 for a value of a declared date that is none. An undeclared property is the client's own. */
export function checkDeclaredDates({ kinds, properties, named }: Received): void {
  for (const [key, value] of Object.entries(properties)) {
    if (kinds.get(key) === 'date' && isImpossibleDate(value)) throw invalidRequest(`${named}.${key} must be a valid ISO 8601 date string`)
  }
}

/** Converts the fields of a form, which are all texts: numbers and truth values by the declared kind, where the text is exactly one. JSON says itself what is a number. */
export function readDeclaredTexts(received: Received): Properties {
  checkDeclaredDates(received)
  const { kinds, properties } = received
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, typedValue(value, kinds.get(key))]))
}

const typedValue = (value: Json, kind: CustomFieldKind | undefined): Json => {
  if (typeof value !== 'string') return value
  if (kind === 'number' && NUMBER.test(value)) return Number(value)
  return kind === 'boolean' && (value === 'true' || value === 'false') ? value === 'true' : value
}
