import { parseRule, RULE_PROFILE_FIELDS, type Rule } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import {
  type DraftGroup,
  draftOf,
  fitsForm,
  hasRoom,
  mayNest,
  newCondition,
  newGroup,
  opsOf,
  replaced,
  ruleOf,
  withOp,
  without,
  withSource,
} from '../../../src/ui/rule/draft.ts'

const rule: Rule = parseRule({
  all: [
    { field: 'emailConsent', op: 'in', value: ['subscribed', 'never subscribed'] },
    { field: 'emailSuppressed', op: 'eq', value: false },
    {
      any: [
        { field: 'customProperties.a.b', op: 'gte', value: 1.5 },
        { field: 'customProperties.vip', op: 'ne', value: true },
      ],
    },
    { field: 'event.order.placed.count', op: 'gt', value: 2 },
    { field: 'event.order.placed.last', op: 'within_days', value: 30 },
    { field: 'createdAt', op: 'lt', value: '2026-01-01' },
    { field: 'tags', op: 'exists', value: true },
  ],
})

describe('a rule in its form', () => {
  it('is the rule that it was filled from', () => {
    expect(ruleOf(draftOf(rule))).toEqual(rule)
    expect(fitsForm(rule)).toBe(true)
  })

  it('stands in a group of one where it is one condition', () => {
    const one = parseRule({ field: 'locale', op: 'eq', value: 'he' })
    expect(ruleOf(draftOf(one))).toEqual({ all: [one] })
    expect(fitsForm(one)).toBe(true)
  })

  it.each([
    { field: 'customProperties.x', op: 'in', value: [1, 'a', '1'] },
    { field: 'tags', op: 'in', value: [' a'] },
    { field: 'notes', op: 'eq', value: 'two\nlines' },
  ])('is left to JSON where the form would change it: $value', (condition) => {
    expect(fitsForm(parseRule(condition))).toBe(false)
  })

  it('has a field of each kind with the operators of that kind, and is never an operator that the field has not', () => {
    const found = RULE_PROFILE_FIELDS.map((field) => withSource(withOp(newCondition(), 'contains'), field))
    for (const condition of found) expect(opsOf(condition)).toContain(condition.op)
    expect(ruleOf(withSource(newCondition(), 'emailSuppressed'))).toEqual({ field: 'emailSuppressed', op: 'eq', value: true })
    const counted = { ...withSource(newCondition(), 'event.count'), name: 'seen', value: '3' }
    expect(ruleOf(counted)).toEqual({ field: 'event.seen.count', op: 'eq', value: 3 })
    // What is no number stays as it was typed: the rule says what is wrong with it.
    expect(() => parseRule(ruleOf({ ...counted, value: '3 times' }))).toThrow('rule.value must be a number')
    expect(() => parseRule(ruleOf({ ...counted, value: '' }))).toThrow('rule.value must be a number')
  })

  it('loses a group with its last condition', () => {
    const draft = draftOf(rule)
    const inner = draft.parts.find((part) => 'parts' in part)
    if (inner === undefined || !('parts' in inner)) throw new Error('the rule has a group')
    const rest = inner.parts.reduce<DraftGroup>((group, { key }) => without(group, key), draft)
    expect(rest.parts).toHaveLength(draft.parts.length - 1)
    const [first] = inner.parts
    if (first === undefined || 'parts' in first) throw new Error('the group has a condition')
    expect(JSON.stringify(ruleOf(replaced(draft, { ...first, value: '7' })))).toContain('"customProperties.a.b","op":"gte","value":7')
  })

  it('may be as large and as deep as a rule', () => {
    const full = { ...newGroup('all'), parts: Array.from({ length: 50 }, () => newCondition()) }
    const filled = { ...full, parts: full.parts.map((part) => ({ ...part, value: 'x' })) }
    expect(() => parseRule(ruleOf(filled))).not.toThrow()
    expect([hasRoom(filled), hasRoom({ ...filled, parts: filled.parts.slice(1) })]).toEqual([false, true])
    const nested = (depth: number): DraftGroup => ({
      ...newGroup('all'),
      parts: [mayNest(depth) ? nested(depth + 1) : { ...newCondition(), value: 'x' }],
    })
    expect(() => parseRule(ruleOf(nested(1)))).not.toThrow()
    expect(JSON.stringify(ruleOf(nested(1))).match(/"all"/g)).toHaveLength(4)
  })
})
