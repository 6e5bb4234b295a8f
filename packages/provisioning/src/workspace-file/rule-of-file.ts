import { normalizeDomain, normalizeEmail, normalizePhone } from '@tidings/addresses'
import { parseRule, type Rule, type RuleCondition, type RuleScalar } from '@tidings/domain'

/** A rule of a workspace file: the addresses and numbers in it are in the form in which contacts have them (M46, M47). Throws `RuleMistake`. */
export function ruleOfFile(input: unknown, path?: string): Rule {
  return asStored(parseRule(input, path))
}

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
  // Without the country of a workspace only an international number is one.
  phone: (text) => normalizePhone(text, '') ?? text,
}

/** A part of an address that begins with its @ is all of its domain; where another part ends is not known. */
const partOf: Readonly<Record<string, (text: string) => string>> = {
  email: (text) => (text.startsWith('@') ? `@${normalizeDomain(text.slice(1))}` : text.includes('@') ? normalizeEmail(text) : text),
}
