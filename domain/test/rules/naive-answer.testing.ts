import type { Rule, RuleCondition } from '../../src/rules/rule.ts'
import type { RuleFacts } from '../../src/rules/rule-facts.ts'

const DAY = 86_400_000

const found = (field: string, facts: RuleFacts): unknown => {
  if (field === 'tags') return facts.tags
  if (field === 'event.placed.count') return facts.events.get('placed')?.count ?? 0
  if (field === 'event.placed.last') return facts.events.get('placed')?.lastAt
  if (field === 'customProperties.spend') return facts.customProperties.spend
  return (facts.profile as Readonly<Record<string, unknown>>)[field]
}

const isTime = (field: string): boolean => field === 'createdAt' || field === 'event.placed.last'
const inMs = (text: unknown): unknown => (typeof text === 'string' && /^\d{4}-/.test(text) ? Date.parse(text) : text)

/** The meaning of a rule in the plainest way, for comparison. */
export function naiveAnswer(rule: Rule, facts: RuleFacts, now: number): boolean {
  if ('all' in rule) return !rule.all.some((one) => !naiveAnswer(one, facts, now))
  if ('any' in rule) return rule.any.filter((one) => naiveAnswer(one, facts, now)).length > 0
  const have = found(rule.field, facts)
  const each: readonly unknown[] = Array.isArray(have) ? have : [have]
  const { field, op, value } = rule
  const equal = each.includes(isTime(field) ? inMs(value) : value)
  if (op === 'eq') return equal
  if (op === 'ne') return !equal
  if (op === 'in') return Array.isArray(value) && value.some((wanted) => each.includes(wanted))
  if (op === 'contains')
    return Array.isArray(have)
      ? have.includes(value)
      : typeof have === 'string' && have.indexOf(String(value)) >= 0 && typeof value === 'string'
  if (op === 'exists')
    return value === (have !== undefined && have !== null && each.length > 0 && !(field.endsWith('.count') && have === 0))
  if (op !== 'within_days') return each.some((one) => naiveOrder(rule, one))
  const moment = isTime(field) ? have : typeof have === 'string' ? inMs(have) : null
  return typeof moment === 'number' && now >= moment && now - moment < Number(value) * DAY
}

const byCodeUnit = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)

const naiveOrder = ({ field, op, value }: RuleCondition, one: unknown): boolean => {
  const limit = inMs(value)
  const isDate = !isTime(field) && limit !== value
  const mine = isDate ? inMs(one) : one
  if (isDate && mine === one) return false
  const sign = typeof mine === 'string' && typeof limit === 'string' ? byCodeUnit(mine, limit) : Number(mine) - Number(limit)
  if (typeof mine !== typeof limit || !['string', 'number'].includes(typeof mine)) return false
  if (op === 'lt') return sign < 0
  if (op === 'lte') return sign <= 0
  return op === 'gt' ? sign > 0 : sign >= 0
}
