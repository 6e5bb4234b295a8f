import { jsonInNfc } from '@tidings/domain'
import { cutText } from '@tidings/postgres'
import { DEEPEST, sentence } from './messages.ts'
import { Fault, isNullable, type Rule, type Schema } from './rule.ts'

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Unfit = 'nested' | 'infinite'

/** `1e400` is JSON, but becomes Infinity here, which no JSON can say again. */
const unfit = (value: unknown, levels: number): Unfit | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'infinite'
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return 'nested'
  for (const inner of Object.values(value)) {
    const found = unfit(inner, levels - 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** An object whose keys are the client's own; in NFC, keys and values (M46). */
export const freeObjectRule: Rule = (value, name) => {
  if (!isRecord(value)) return new Fault(sentence.object(name))
  const found = unfit(value, DEEPEST)
  return found === undefined ? jsonInNfc(value) : new Fault(sentence[found](name))
}

type Property = Readonly<{ key: string; rule: Rule; required: boolean; nullable: boolean; byDefault: unknown }>

/** A key is at most this long in the sentence that names it. */
const shown = (key: string): string => (key.length <= 256 ? key : `${cutText(key, 256)}…`)

/**
 * Judges an object: unknown properties first, in the order they were sent, then the declared ones in the order of the schema.
 * The first fault ends it. A null for an optional property counts as not sent and is removed. Changes the object in place.
 */
export function propertiesRule(schema: Schema, compile: (schema: Schema) => Rule): (object: Record<string, unknown>) => Fault | undefined {
  const required = new Set(schema.required)
  const known = new Set(Object.keys(schema.properties ?? {}))
  const properties = Object.entries(schema.properties ?? {}).map(
    ([key, property]): Property => ({
      key,
      rule: compile(property),
      required: required.has(key),
      nullable: isNullable(property),
      byDefault: property.default,
    }),
  )
  return (object) => {
    for (const key of Object.keys(object)) if (!known.has(key)) return new Fault(sentence.unknown(shown(key)))
    for (const property of properties) {
      const fault = judge(object, property)
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

const judge = (object: Record<string, unknown>, { key, rule, required, nullable, byDefault }: Property): Fault | undefined => {
  const value = object[key]
  if (!required && (value === undefined || (value === null && !nullable))) {
    if (byDefault !== undefined) object[key] = byDefault
    else if (value === null) delete object[key]
    return undefined
  }
  const result = rule(value, key)
  if (result instanceof Fault) return result
  if (result !== value) object[key] = result
  return undefined
}

/** A nested object: its faults carry its name in front, as class-validator writes them (`keys.property x should not exist`). */
export function objectRule(schema: Schema, compile: (schema: Schema) => Rule): Rule {
  const judgeProperties = propertiesRule(schema, compile)
  return (value, name) => {
    if (!isRecord(value)) return new Fault(sentence.object(name))
    const fault = judgeProperties(value)
    return fault === undefined ? value : new Fault(`${name}.${fault.message}`)
  }
}
