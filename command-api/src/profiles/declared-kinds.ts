import { recordIdOf } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { type CustomFieldKind, customField, customFieldStream, isImpossibleDate, type Json } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'

type Properties = Readonly<Record<string, Json>>
type Reading = Readonly<{ commands: Pick<CommandRunner, 'load'> }>

/** `named`: what a sentence calls the properties. */
export type Received = Readonly<{ workspaceId: string; properties: Properties; named: string }>

/** Each asks the log for a field: a sender of many is asked to declare fewer. */
const MAX_ASKED = 100

/** As a program writes a number: `042` and `+1` are texts, such as telephone numbers. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/

/** Throws 400 for a value of a declared date that is none. What is not declared is the client's own. */
export async function checkDeclaredDates(reading: Reading, { workspaceId, properties, named }: Received): Promise<void> {
  const kinds = await kindsOf(reading, workspaceId, keysWhere(properties, isImpossibleDate))
  for (const [key, kind] of kinds) if (kind === 'date') throw invalidRequest(`${named}.${key} must be a valid ISO 8601 date string`)
}

/** What a form sends, whose fields are all texts: numbers and truth values by the declared kind, where the text is exactly one. JSON says itself what is a number. */
export async function readDeclaredTexts(reading: Reading, received: Received): Promise<Properties> {
  const { workspaceId, properties } = received
  await checkDeclaredDates(reading, received)
  const kinds = await kindsOf(reading, workspaceId, keysWhere(properties, isValueInText))
  if (kinds.size === 0) return properties
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, typedValue(value, kinds.get(key))]))
}

const isValueInText = (value: Json): boolean => typeof value === 'string' && (NUMBER.test(value) || value === 'true' || value === 'false')

const typedValue = (value: Json, kind: CustomFieldKind | undefined): Json => {
  if (typeof value !== 'string') return value
  if (kind === 'number' && NUMBER.test(value)) return Number(value)
  return kind === 'boolean' && (value === 'true' || value === 'false') ? value === 'true' : value
}

const keysWhere = (properties: Properties, isOne: (value: Json) => boolean): readonly string[] =>
  Object.entries(properties)
    .filter(([, value]) => isOne(value))
    .map(([key]) => key)
    .slice(0, MAX_ASKED)

async function kindsOf({ commands }: Reading, workspaceId: string, keys: readonly string[]): Promise<ReadonlyMap<string, CustomFieldKind>> {
  const found = await Promise.all(
    keys.map(async (key) => {
      const stream = customFieldStream(workspaceId, recordIdOf(workspaceId, 'field', key))
      const { state } = await commands.load({ decider: customField, stream, workspaceId })
      return state === null ? [] : [[key, state.kind] as const]
    }),
  )
  return new Map(found.flat())
}
