/** The operators by which a field is compared. `in` takes a list of values, `exists` true or false, `within_days` a number of days (M9). */
export const RULE_OPS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'contains', 'in', 'exists', 'within_days'] as const
export type RuleOp = (typeof RULE_OPS)[number]
export type RuleScalar = string | number | boolean
export type RuleCondition = Readonly<{ field: string; op: RuleOp; value: RuleScalar | readonly RuleScalar[] }>

/** Selects contacts: one condition, or several of which all or any must hold. `parseRule` makes it. */
export type Rule = RuleCondition | Readonly<{ all: readonly Rule[] }> | Readonly<{ any: readonly Rule[] }>

/** Limits of a rule: the depth of its groups, its conditions, the length of a text and of an `in`. */
export const RULE_LIMITS = { depth: 5, conditions: 50, text: 1_024, values: 100, days: 36_500 } as const

/** All conditions of a rule, in its order. */
export function conditionsOf(rule: Rule): readonly RuleCondition[] {
  if ('field' in rule) return [rule]
  return ('all' in rule ? rule.all : rule.any).flatMap(conditionsOf)
}
