import { compileCondition } from './compile-condition.ts'
import { conditionsOf, type Rule } from './rule.ts'
import type { RuleFacts } from './rule-facts.ts'

/** A rule that is ready to be asked often. */
export type CompiledRule = Readonly<{
  /** The facts that it reads (`fact` of its fields): a change of anything else leaves its answers as they are. */
  reads: readonly string[]
  /** The names of the events that it reads: `facts.events` must know these. */
  events: readonly string[]
  /** True where the answer for the same facts may be another one later. */
  isTimed: boolean
  matches: (facts: RuleFacts, now: number) => boolean
  /** The first moment after `now` at which the answer for these facts is another one than now; null where it stays for ever. */
  changesAt: (facts: RuleFacts, now: number) => number | null
}>

/** Compiles what `parseRule` gave. */
export function compileRule(rule: Rule): CompiledRule {
  const conditions = conditionsOf(rule).map((condition) => ({ condition, compiled: compileCondition(condition) }))
  const testOf = new Map(conditions.map(({ condition, compiled }) => [condition, compiled.isTrue]))
  const timed = conditions.map(({ compiled }) => compiled).filter(({ isTimed }) => isTimed)
  const fields = conditions.map(({ compiled }) => compiled.field)
  const matches = (facts: RuleFacts, now: number): boolean => isTrue(rule, (condition) => testOf.get(condition)?.(facts, now) === true)
  return {
    reads: [...new Set(fields.map(({ fact }) => fact))],
    events: [...new Set(fields.flatMap((field) => (field.source === 'event' ? [field.name] : [])))],
    isTimed: timed.length > 0,
    matches,
    changesAt: (facts, now) => {
      const moments = timed.flatMap(({ changes }) => changes(facts)).filter((moment) => moment > now)
      const answer = matches(facts, now)
      const later = [...new Set(moments)].sort((a, b) => a - b)
      return later.find((moment) => matches(facts, moment) !== answer) ?? null
    },
  }
}

type ConditionTest = (condition: Extract<Rule, { field: string }>) => boolean

const isTrue = (rule: Rule, of: ConditionTest): boolean => {
  if ('field' in rule) return of(rule)
  return 'all' in rule ? rule.all.every((one) => isTrue(one, of)) : rule.any.some((one) => isTrue(one, of))
}
