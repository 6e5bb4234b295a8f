import {
  conditionsOf,
  type FieldKind,
  OPS_OF,
  RULE_LIMITS,
  RULE_PROFILE_FIELDS,
  type Rule,
  type RuleCondition,
  type RuleOp,
  ruleField,
  sameJson,
} from '@tidings/domain'
import { newKey } from '../../api/client.ts'

/** How the value of a property is meant: the other kinds of fields have one type each. */
export type ValueType = 'text' | 'number' | 'boolean'

/** A condition while somebody writes it: `name` is that of a property or an event, `value` what was typed, one of `in` a line. */
export type DraftCondition = Readonly<{ key: string; source: string; name: string; op: RuleOp; type: ValueType; value: string }>
export type DraftGroup = Readonly<{ key: string; kind: 'all' | 'any'; parts: readonly DraftPart[] }>
export type DraftPart = DraftCondition | DraftGroup

export const NAMED_SOURCES = ['customProperties', 'event.count', 'event.last'] as const
export const SOURCES: readonly string[] = ['tags', ...RULE_PROFILE_FIELDS]

/** Whether the field has a name of the workspace's own. */
export function isNamed(source: string): boolean {
  return NAMED_SOURCES.some((named) => named === source)
}

export function newCondition(): DraftCondition {
  return { key: newKey(), source: 'emailConsent', name: '', op: 'eq', type: 'text', value: '' }
}

export function newGroup(kind: DraftGroup['kind'] = 'any'): DraftGroup {
  return { key: newKey(), kind, parts: [newCondition()] }
}

const fieldOf = ({ source, name }: DraftCondition): string => {
  if (source === 'customProperties') return `customProperties.${name}`
  return isNamed(source) ? `event.${name}.${source.slice('event.'.length)}` : source
}

/** The kind of the field, also while its name is still to be typed. */
export function kindOf(condition: DraftCondition): FieldKind {
  return ruleField(fieldOf({ ...condition, name: condition.name || 'name' }))?.kind ?? 'text'
}

export function opsOf(condition: DraftCondition): readonly RuleOp[] {
  return OPS_OF[kindOf(condition)]
}

/** What a value of the condition is: `days` and `count` are numbers. */
export function valueTypeOf(condition: DraftCondition): ValueType {
  const { op, type } = condition
  if (op === 'exists') return 'boolean'
  if (op === 'within_days') return 'number'
  const kind = kindOf(condition)
  if (kind === 'property') return type
  return kind === 'boolean' ? 'boolean' : kind === 'count' ? 'number' : 'text'
}

/** A number that is none stays a text, so that `parseRule` says what is wrong. */
const scalarOf = (text: string, type: ValueType): string | number | boolean => {
  if (type === 'boolean') return text === 'true'
  const number = Number(text)
  return type === 'number' && text.trim() !== '' && Number.isFinite(number) ? number : text
}

/** The rule as `parseRule` takes it. */
export function ruleOf(part: DraftPart): unknown {
  if ('parts' in part) return { [part.kind]: part.parts.map(ruleOf) }
  const type = valueTypeOf(part)
  const lines = part.value.split('\n').filter((line) => line.trim() !== '')
  const value = part.op === 'in' ? lines.map((line) => scalarOf(line.trim(), type)) : scalarOf(part.value, type)
  return { field: fieldOf(part), op: part.op, value }
}

/** The first group is what others stand in: a rule of one condition is in a group of one. */
export function draftOf(rule: Rule): DraftGroup {
  const part = partOf(rule)
  return 'parts' in part ? part : { key: newKey(), kind: 'all', parts: [part] }
}

/** Whether the form can show all that a rule says: values of several types, or blanks around them, are for JSON. */
export function fitsForm(rule: Rule): boolean {
  const isOneLine = conditionsOf(rule).every(({ op, value }) => op === 'in' || !String(value).includes('\n'))
  return isOneLine && sameJson(ruleOf(draftOf(rule)), 'field' in rule ? { all: [rule] } : rule)
}

const partOf = (rule: Rule): DraftPart => {
  if ('field' in rule) return conditionOf(rule)
  return 'all' in rule
    ? { key: newKey(), kind: 'all', parts: rule.all.map(partOf) }
    : { key: newKey(), kind: 'any', parts: rule.any.map(partOf) }
}

const conditionOf = ({ field, op, value }: RuleCondition): DraftCondition => {
  const known = ruleField(field)
  const values = typeof value === 'object' ? value : [value]
  const first = typeof values[0]
  const type = first === 'number' || first === 'boolean' ? first : 'text'
  const text = { key: newKey(), op, type, value: values.map(String).join('\n') } as const
  if (known?.source === 'property') return { ...text, source: 'customProperties', name: known.name }
  if (known?.source === 'event') return { ...text, source: known.kind === 'count' ? 'event.count' : 'event.last', name: known.name }
  return { ...text, source: field, name: '' }
}

/** Another field keeps the operator where it has it, and the value where that is of the same type. */
export function withSource(condition: DraftCondition, source: string): DraftCondition {
  const changed = { ...condition, source, name: isNamed(source) ? condition.name : '' }
  return withOp(changed, opsOf(changed).includes(condition.op) ? condition.op : 'eq', valueTypeOf(condition))
}

export function withOp(condition: DraftCondition, op: RuleOp, before: ValueType = valueTypeOf(condition)): DraftCondition {
  const changed = { ...condition, op }
  const type = valueTypeOf(changed)
  return type === before ? changed : { ...changed, value: type === 'boolean' ? 'true' : '' }
}

export function replaced(group: DraftGroup, part: DraftPart): DraftGroup {
  if (part.key === group.key && 'parts' in part) return part
  return { ...group, parts: group.parts.map((one) => (one.key === part.key ? part : 'parts' in one ? replaced(one, part) : one)) }
}

/** A group without conditions goes with its last one. */
export function without(group: DraftGroup, key: string): DraftGroup {
  const parts = group.parts
    .filter((one) => one.key !== key)
    .map((one) => ('parts' in one ? without(one, key) : one))
    .filter((one) => !('parts' in one) || one.parts.length > 0)
  return { ...group, parts }
}

const countOf = (part: DraftPart): number => ('parts' in part ? part.parts.reduce((sum, one) => sum + countOf(one), 0) : 1)

/** Whether one more condition fits into the rule; a group of one needs a level more. */
export function hasRoom(rule: DraftGroup): boolean {
  return countOf(rule) < RULE_LIMITS.conditions
}

/** A group at this depth (from 1) may hold groups: their conditions are one level deeper. */
export function mayNest(depth: number): boolean {
  return depth + 2 <= RULE_LIMITS.depth
}
