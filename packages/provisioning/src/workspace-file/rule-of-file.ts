import { normalizeDomain, normalizeEmail, normalizePhone } from '@tidings/addresses'
import {
  conditionsOf,
  isImpossibleDate,
  parseRule,
  type Rule,
  type RuleCondition,
  RuleMistake,
  type RuleOp,
  type RuleScalar,
} from '@tidings/domain'

/** A rule of a workspace file: the addresses and numbers in it are in the form in which contacts have them (M46, M47). Throws `RuleMistake`. */
export function ruleOfFile(input: unknown, path?: string): Rule {
  const rule = parseRule(input, path)
  // Rules that were stored before keep what they say.
  const wrong = conditionsOf(rule).find(({ op, value }) => ORDERING.includes(op) && isImpossibleDate(value))
  if (wrong !== undefined) throw new RuleMistake(`${path ?? 'rule'}: ${wrong.value} is a day that its month does not have`)
  return asStored(rule)
}

/** A text beside them that is written as a date is meant as one. */
const ORDERING: readonly RuleOp[] = ['lt', 'lte', 'gt', 'gte']

const asStored = (rule: Rule): Rule => {
  if ('field' in rule) return conditionAsStored(rule)
  return 'all' in rule ? { all: rule.all.map(asStored) } : { any: rule.any.map(asStored) }
}

const conditionAsStored = (condition: RuleCondition): RuleCondition => {
  const { field, op, value } = condition
  const read = op === 'contains' ? partOf[field] : whole[field]
  if (read === undefined || op === 'exists') return condition
  return { ...condition, value: typeof value === 'object' ? value.map(scalar(read)) : scalar(read)(value) }
}

const scalar =
  (read: (text: string) => string) =>
  (value: RuleScalar): RuleScalar =>
    typeof value === 'string' ? read(value) : value

const whole: Readonly<Record<string, (text: string) => string>> = {
  email: normalizeEmail,
  // Only an international number is one without the country of a workspace.
  phone: (text) => normalizePhone(text, '') ?? text,
}

/** A part of an address that begins with its @ is all of its domain; where another part ends is not known. */
const partOf: Readonly<Record<string, (text: string) => string>> = {
  email: (text) => (text.startsWith('@') ? `@${normalizeDomain(text.slice(1))}` : text.includes('@') ? normalizeEmail(text) : text),
}
