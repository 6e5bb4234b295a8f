import { type ShapeRule, shapeRule } from '@tidings/contracts'
import { findInvalidText } from '../body/invalid-text.ts'
import { compileRule } from './compile-rule.ts'
import { propertiesRule } from './object-rule.ts'
import type { Schema } from './rule.ts'

const ruleOf = (schema: object): ShapeRule | undefined => (shapeRule in schema ? (schema[shapeRule] as ShapeRule) : undefined)

/** Judges bodies: the sentence about the first fault, undefined where there is none. Changes the object in place. */
export function shapeFault(schema: Schema): (body: Record<string, unknown>) => string | undefined {
  const judge = propertiesRule(schema, compileRule)
  const rule = ruleOf(schema)
  return (body) => judge(body)?.message ?? rule?.(body as never)
}

/** The same for a body that came another way than by HTTP: also what its characters must not be (M23). */
export function bodyFault(schema: object): (body: Record<string, unknown>) => string | undefined {
  const judge = shapeFault(schema as Schema)
  return (body) => (findInvalidText(body) === undefined ? judge(body) : 'it contains invalid characters')
}
