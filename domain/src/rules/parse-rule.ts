import { inNfc } from '../values.ts'
import { RULE_LIMITS, RULE_OPS, type Rule, type RuleCondition, type RuleOp, type RuleScalar } from './rule.ts'
import { type FieldKind, OPS_OF, ruleField } from './rule-fields.ts'
import { parseTime } from './rule-time.ts'

/** A rule that cannot be used, said in one sentence that begins with the path of what is wrong. */
export class RuleMistake extends Error {
  override readonly name = 'RuleMistake'
}

type ConditionsLeft = { conditions: number }

/** A rule from outside, with nothing in it that a rule has not. `path` names it in the sentence. Throws `RuleMistake`. */
export function parseRule(input: unknown, path = 'rule'): Rule {
  return ruleAt(input, { path, depth: 1, left: { conditions: RULE_LIMITS.conditions } })
}

type RulePosition = Readonly<{ path: string; depth: number; left: ConditionsLeft }>

const fail = (sentence: string): never => {
  throw new RuleMistake(sentence)
}

const ruleAt = (input: unknown, at: RulePosition): Rule => {
  const fields = mapOf(input, at.path)
  if ('all' in fields) return { all: groupAt(fields, 'all', at) }
  if ('any' in fields) return { any: groupAt(fields, 'any', at) }
  return conditionAt(fields, at)
}

const mapOf = (input: unknown, path: string): Readonly<Record<string, unknown>> => {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return fail(`${path} must be a map with all, any, or field, op and value`)
  return { ...input }
}

const refuseOthers = (fields: Readonly<Record<string, unknown>>, known: readonly string[], path: string): void => {
  const other = Object.keys(fields).find((key) => !known.includes(key))
  if (other !== undefined) fail(`${path}.${other.slice(0, 100)} is not a field of a rule, or not beside ${known[0]}`)
}

const groupAt = (fields: Readonly<Record<string, unknown>>, key: 'all' | 'any', { path, depth, left }: RulePosition): readonly Rule[] => {
  refuseOthers(fields, [key], path)
  const inside = `${path}.${key}`
  const rules = fields[key]
  if (!Array.isArray(rules) || rules.length === 0) return fail(`${inside} must be a list with at least one condition`)
  if (depth >= RULE_LIMITS.depth) return fail(`${inside} is too deep: a rule has at most ${RULE_LIMITS.depth} levels`)
  return rules.map((rule, i) => ruleAt(rule, { path: `${inside}[${i}]`, depth: depth + 1, left }))
}

const conditionAt = (fields: Readonly<Record<string, unknown>>, { path, left }: RulePosition): RuleCondition => {
  refuseOthers(fields, ['field', 'op', 'value'], path)
  if (left.conditions-- === 0) return fail(`${path} is one condition too many: a rule has at most ${RULE_LIMITS.conditions}`)
  const { op, value } = fields
  const field = typeof fields.field === 'string' ? inNfc(fields.field) : fields.field
  const known = typeof field === 'string' ? ruleField(field) : null
  if (typeof field !== 'string' || known === null)
    return fail(`${path}.field must be a field of a profile, tags, customProperties.<key>, event.<name>.count or event.<name>.last`)
  if (!isOp(op)) return fail(`${path}.op must be one of ${RULE_OPS.join(', ')}`)
  if (!OPS_OF[known.kind].includes(op)) return fail(`${path}.op: ${field} takes one of ${OPS_OF[known.kind].join(', ')}`)
  return { field, op, value: valueAt(value, { path: `${path}.value`, op, kind: known.kind }) }
}

const isOp = (op: unknown): op is RuleOp => RULE_OPS.some((known) => known === op)

type ExpectedValue = Readonly<{ path: string; op: RuleOp; kind: FieldKind }>

const valueAt = (value: unknown, wanted: ExpectedValue): RuleCondition['value'] => {
  const { path, op } = wanted
  if (op === 'exists') return typeof value === 'boolean' ? value : fail(`${path} must be true or false`)
  if (op === 'within_days') {
    const fits = typeof value === 'number' && value > 0 && value <= RULE_LIMITS.days
    return fits ? value : fail(`${path} must be a number of days above 0, at most ${RULE_LIMITS.days}`)
  }
  if (op !== 'in') return scalarAt(value, wanted)
  if (!Array.isArray(value) || value.length === 0 || value.length > RULE_LIMITS.values)
    return fail(`${path} must be a list of 1 to ${RULE_LIMITS.values} values`)
  return value.map((one, i) => scalarAt(one, { ...wanted, path: `${path}[${i}]` }))
}

const scalarAt = (value: unknown, { path, op, kind }: ExpectedValue): RuleScalar => {
  if (kind === 'boolean') return typeof value === 'boolean' ? value : fail(`${path} must be true or false`)
  if (kind === 'count') return isNumber(value) ? value : fail(`${path} must be a number`)
  if (kind === 'property' && isNumber(value)) return value
  if (kind === 'property' && typeof value === 'boolean' && !COMPARING.includes(op)) return value
  if (typeof value !== 'string')
    return fail(`${path} must be ${kind === 'property' ? 'a text, a number or, to be equal, true or false' : 'a text'}`)
  if (value.length > RULE_LIMITS.text) return fail(`${path} is longer than ${RULE_LIMITS.text} characters`)
  if (!isStorable(value)) return fail(`${path} has a character in it that cannot be stored`)
  if (kind === 'time' && parseTime(value) === null) return fail(`${path} must be a date, or a time with its offset, as ISO 8601 writes it`)
  return inNfc(value)
}

const COMPARING: readonly RuleOp[] = ['lt', 'lte', 'gt', 'gte']

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

const isStorable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed()
