import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { compileRule } from '../../src/rules/compile-rule.ts'
import { parseRule, RuleMistake } from '../../src/rules/parse-rule.ts'
import { sameJson } from '../../src/values.ts'
import { anyRule } from './rules.testing.ts'

const eq = { field: 'locale', op: 'eq', value: 'de' }
const nested = (depth: number): unknown => (depth === 1 ? eq : { all: [nested(depth - 1)] })

describe('a rule', () => {
  it('is read as it is written', () => {
    fc.assert(
      fc.property(anyRule, (rule) => {
        expect(sameJson(parseRule(rule), rule)).toBe(true)
      }),
    )
  })

  test.each([
    [null, 'rule must be a map with all, any, or field, op and value'],
    [[eq], 'rule must be a map with all, any, or field, op and value'],
    [{ all: [] }, 'rule.all must be a list with at least one condition'],
    [{ any: eq }, 'rule.any must be a list with at least one condition'],
    [{ all: [eq], any: [eq] }, 'rule.any is not a field of a rule, or not beside all'],
    [{ ...eq, negate: true }, 'rule.negate is not a field of a rule, or not beside field'],
    [{ all: [eq, { any: [5] }] }, 'rule.all[1].any[0] must be a map with all, any, or field, op and value'],
    [nested(6), 'rule.all[0].all[0].all[0].all[0].all is too deep: a rule has at most 5 levels'],
    [{ all: Array.from({ length: 51 }, () => eq) }, 'rule.all[50] is one condition too many: a rule has at most 50'],
    [
      { ...eq, field: 'shoeSize' },
      'rule.field must be a field of a profile, tags, customProperties.<key>, event.<name>.count or event.<name>.last',
    ],
    [{ ...eq, field: 'customProperties.' }, /^rule\.field must be /],
    [{ ...eq, field: 'event.seen' }, /^rule\.field must be /],
    [{ ...eq, field: 'event..count' }, /^rule\.field must be /],
    [{ ...eq, field: 'constructor' }, /^rule\.field must be /],
    [{ ...eq, op: 'like' }, /^rule\.op must be one of eq, ne, lt/],
    [{ ...eq, op: 'within_days', value: 3 }, 'rule.op: locale takes one of eq, ne, lt, lte, gt, gte, contains, in, exists'],
    [{ field: 'tags', op: 'lt', value: 'a' }, 'rule.op: tags takes one of eq, ne, contains, in, exists'],
    [{ ...eq, value: 5 }, 'rule.value must be a text'],
    [{ ...eq, op: 'exists', value: 'yes' }, 'rule.value must be true or false'],
    [{ ...eq, op: 'in', value: 'de' }, 'rule.value must be a list of 1 to 100 values'],
    [{ ...eq, op: 'in', value: ['de', 5] }, 'rule.value[1] must be a text'],
    [{ ...eq, value: 'x'.repeat(1_025) }, 'rule.value is longer than 1024 characters'],
    [{ ...eq, value: 'a\u0000' }, 'rule.value has a character in it that cannot be stored'],
    [{ ...eq, value: '\ud800' }, 'rule.value has a character in it that cannot be stored'],
    [{ field: 'createdAt', op: 'gt', value: 'May' }, 'rule.value must be a date, or a time with its offset, as ISO 8601 writes it'],
    [{ field: 'createdAt', op: 'gt', value: '2026-13-01' }, /^rule\.value must be a date/],
    [{ field: 'createdAt', op: 'within_days', value: 0 }, 'rule.value must be a number of days above 0, at most 36500'],
    [{ field: 'createdAt', op: 'within_days', value: Number.NaN }, /^rule\.value must be a number of days/],
    [{ field: 'event.a.count', op: 'gt', value: Number.POSITIVE_INFINITY }, 'rule.value must be a number'],
    [{ field: 'emailSuppressed', op: 'eq', value: 'no' }, 'rule.value must be true or false'],
    [{ field: 'customProperties.a', op: 'gt', value: true }, 'rule.value must be a text, a number or, to be equal, true or false'],
    [{ field: 'customProperties.a', op: 'eq', value: null }, 'rule.value must be a text, a number or, to be equal, true or false'],
  ])('with a mistake is refused in one sentence: %#', (rule, sentence) => {
    expect(() => parseRule(rule)).toThrow(sentence)
    expect(() => parseRule(rule)).toThrow(RuleMistake)
  })

  it('is named in the sentence as the caller says', () => {
    expect(() => parseRule({}, 'lists[3].rule')).toThrow(/^lists\[3\]\.rule\.field must be /)
  })

  it('is never more than its mistake or a rule that can be asked, whatever comes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ field: fc.string(), op: fc.string(), value: fc.anything() })), (input) => {
        try {
          compileRule(parseRule(input))
        } catch (error) {
          expect(error).toBeInstanceOf(RuleMistake)
        }
      }),
    )
  })
})
