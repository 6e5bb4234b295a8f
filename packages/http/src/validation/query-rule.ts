import { isRecord } from './object-rule.ts'
import type { Schema } from './rule.ts'

const DECIMAL = /^-?\d{1,16}$/

/** Turns the texts of a query into what its schema says: decimal integers, `true`/`false`/`1`/`0`, lists with commas. What does not fit stays text and fails its rule. */
export function queryConverter(schema: Schema): (query: unknown) => void {
  const typed = Object.entries(schema.properties ?? {}).flatMap(([key, { type }]) => {
    const convert = typeof type === 'string' ? converters[type] : undefined
    return convert === undefined ? [] : [{ key, convert }]
  })
  return (query) => {
    if (!isRecord(query)) return
    for (const { key, convert } of typed) {
      const text = query[key]
      if (typeof text === 'string') query[key] = convert(text)
    }
  }
}

const toInteger = (text: string): unknown => (DECIMAL.test(text) ? Number(text) : text)

const toBoolean = (text: string): unknown => {
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : text
}

const converters: Readonly<Record<string, (text: string) => unknown>> = {
  integer: toInteger,
  boolean: toBoolean,
  array: (text) => text.split(','),
}
