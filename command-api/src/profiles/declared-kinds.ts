import type { CustomFieldKinds } from '@tidings/directory'
import { declaredValue, isImpossibleDate, type Json } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'

type Properties = Readonly<Record<string, Json>>

/** `kinds`: those that the workspace has declared. `named`: what a sentence calls the properties. */
export type Received = Readonly<{ kinds: CustomFieldKinds; properties: Properties; named: string }>

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
  return Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [key, typeof value === 'string' ? declaredValue(value, kinds.get(key)) : value]),
  )
}
