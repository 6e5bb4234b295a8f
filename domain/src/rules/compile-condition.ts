import type { Json } from '../contact/contact.events.ts'
import { inNfc, valueNamed } from '../values.ts'
import type { RuleCondition, RuleOp, RuleScalar } from './rule.ts'
import type { RuleFacts } from './rule-facts.ts'
import { type FieldKind, type RuleField, ruleField } from './rule-fields.ts'
import { endOfDays, parseTime } from './rule-time.ts'

/** `changes`: every moment at which time alone changes the answer for these facts. */
export type CompiledCondition = Readonly<{
  field: RuleField
  isTimed: boolean
  isTrue: (facts: RuleFacts, now: number) => boolean
  changes: (facts: RuleFacts) => readonly number[]
}>

type Value = Json | undefined
type Test = (value: Value) => boolean

/**
 * A condition holds for a list of values when it holds for one of them (`within_days` never does), and `ne` is the opposite of `eq`. What
 * is not there fulfils only `ne` and `exists: false`. Values of different types are never equal, and neither is less.
 * Texts are compared in NFC (M46).
 */
export function compileCondition({ field: text, op, value: given }: RuleCondition): CompiledCondition {
  const field = ruleField(inNfc(text))
  if (field === null) throw new Error(`a rule names the field ${text}, which this version does not know`)
  const value = typeof given === 'object' ? given.map(scalarInNfc) : scalarInNfc(given)
  const read = readerOf(field)
  if (op === 'within_days') return { field, isTimed: true, ...withinDays(read, field.kind, Number(value)) }
  const test = testOf(op, value, field.kind)
  return { field, isTimed: false, isTrue: (facts) => test(valueInNfc(read(facts))), changes: () => [] }
}

const scalarInNfc = (value: RuleScalar): RuleScalar => (typeof value === 'string' ? inNfc(value) : value)

/** A value that was stored before M46 may be in another Unicode form. */
const valueInNfc = (value: Value): Value => {
  if (typeof value === 'string') return inNfc(value)
  return Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? inNfc(one) : one)) : value
}

const readerOf = (field: RuleField): ((facts: RuleFacts) => Value) => {
  switch (field.source) {
    case 'profile':
      return ({ profile }) => profile[field.name]
    case 'tags':
      return ({ tags }) => tags
    case 'property':
      return ({ customProperties }) => valueNamed(customProperties, field.name)
    case 'event':
      return field.kind === 'count' ? ({ events }) => events.get(field.name)?.count ?? 0 : ({ events }) => events.get(field.name)?.lastAt
    default:
      return field satisfies never
  }
}

const withinDays = (read: (facts: RuleFacts) => Value, kind: FieldKind, days: number) => {
  const momentOf = (facts: RuleFacts): number | null => timeOf(read(facts), kind)
  return {
    isTrue: (facts: RuleFacts, now: number): boolean => {
      const moment = momentOf(facts)
      return moment !== null && moment <= now && now < endOfDays(moment, days)
    },
    changes: (facts: RuleFacts): readonly number[] => {
      const moment = momentOf(facts)
      return moment === null ? [] : [moment, endOfDays(moment, days)]
    },
  }
}

/** The facts have their times in milliseconds; a property has what somebody wrote. */
const timeOf = (value: Value, kind: FieldKind): number | null => {
  if (kind === 'time') return typeof value === 'number' ? value : null
  return typeof value === 'string' ? parseTime(value) : null
}

const testOf = (op: Exclude<RuleOp, 'within_days'>, value: RuleCondition['value'], kind: FieldKind): Test => {
  if (op === 'exists') return (found) => isThere(found, kind) === value
  if (op === 'in') {
    const wanted = new Set<Value>(Array.isArray(value) ? value : [])
    return anyOf((one) => wanted.has(one))
  }
  if (typeof value === 'object') throw new Error(`a rule has a list of values for ${op}`)
  if (op === 'contains') return contains(value)
  const wanted = kind === 'time' ? timeIn(value) : value
  const isEqual = anyOf((one) => one === wanted)
  if (op === 'eq') return isEqual
  if (op === 'ne') return (found) => !isEqual(found)
  return comparing(op, wanted, kind)
}

/** A list without elements is not there, and an event that never came is not. */
const isThere = (value: Value, kind: FieldKind): boolean => {
  if (value === undefined || value === null || (kind === 'count' && value === 0)) return false
  return !Array.isArray(value) || value.length > 0
}

const anyOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) ? value.some(test) : test(value)

/** Part of a text, or an element of a list. */
const contains =
  (wanted: RuleScalar): Test =>
  (value) =>
    Array.isArray(value) ? value.includes(wanted) : typeof value === 'string' && typeof wanted === 'string' && value.includes(wanted)

const ORDER: Readonly<Record<'lt' | 'lte' | 'gt' | 'gte', (found: number | string, wanted: number | string) => boolean>> = {
  lt: (found, wanted) => found < wanted,
  lte: (found, wanted) => found <= wanted,
  gt: (found, wanted) => found > wanted,
  gte: (found, wanted) => found >= wanted,
}

/** Compared with a date or a time, only dates and times are less or greater; other texts compare by their code units. */
const comparing = (op: keyof typeof ORDER, wanted: RuleScalar, kind: FieldKind): Test => {
  if (typeof wanted === 'boolean') return () => false
  const compare = ORDER[op]
  const moment = kind === 'property' && typeof wanted === 'string' ? parseTime(wanted) : null
  if (moment === null)
    return anyOf((one) => (typeof one === 'number' || typeof one === 'string') && typeof one === typeof wanted && compare(one, wanted))
  return anyOf((one) => {
    const found = timeOf(one, kind)
    return found !== null && compare(found, moment)
  })
}

const timeIn = (value: RuleScalar): number => parseTime(String(value)) ?? Number.NaN
