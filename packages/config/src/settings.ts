import { KindGuard, type TSchema } from '@sinclair/typebox'
import { configSchema } from './schema.ts'
import type { Annotations } from './setting-types.ts'

/** One setting: where it stands in the file, and what its schema says of it. */
export type Setting = Readonly<{ path: readonly string[]; schema: TSchema; notes: Annotations }>

/** Every setting of the schema, in the order of the file. */
export const settings: readonly Setting[] = collect(configSchema, [])

function collect(schema: TSchema, path: readonly string[]): readonly Setting[] {
  if (KindGuard.IsObject(schema)) return Object.entries(schema.properties).flatMap(([name, child]) => collect(child, [...path, name]))
  const { env, must, secret } = schema
  return [{ path, schema, notes: { env, must, ...(secret ? { secret } : {}) } }]
}

/** The value that the text of a variable stands for; text that fits no type stays text, for the check to refuse. */
export function fromText(schema: TSchema, text: string): unknown {
  if (KindGuard.IsArray(schema)) {
    const items = text.split(',').map((item) => item.trim())
    return items.filter((item) => item !== '').map((item) => fromText(schema.items, item))
  }
  if (KindGuard.IsUnion(schema)) {
    if (text === '' && schema.anyOf.some(KindGuard.IsNull)) return null
    return schema.anyOf.some(KindGuard.IsInteger) ? toInteger(text) : text
  }
  return KindGuard.IsInteger(schema) ? toInteger(text) : text
}

function toInteger(text: string): unknown {
  return /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text
}
