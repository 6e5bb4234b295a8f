import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { compileRule } from '../../src/rules/compile-rule.ts'
import { parseRule } from '../../src/rules/parse-rule.ts'
import type { Rule } from '../../src/rules/rule.ts'
import { naiveAnswer } from './naive-answer.testing.ts'
import { anyFacts, anyRule, factsOf, NEW_YEAR } from './rules.testing.ts'

const DAY = 86_400_000
const compiled = (field: string, op: string, value: unknown) => compileRule(parseRule({ field, op, value }))
const answer = (condition: readonly [string, string, unknown], facts: Parameters<typeof factsOf>[0] = {}): boolean =>
  compiled(...condition).matches(factsOf(facts), NEW_YEAR)

describe('a condition', () => {
  test.each([
    [['firstName', 'eq', 'Ann'], { profile: { firstName: 'Ann' } }, true],
    [['firstName', 'eq', 'ann'], { profile: { firstName: 'Ann' } }, false],
    [['firstName', 'ne', 'Ann'], {}, true],
    [['firstName', 'exists', false], {}, true],
    [['email', 'contains', '@acme.'], { profile: { email: 'ann@acme.example' } }, true],
    [['emailSuppressed', 'eq', true], {}, false],
    [['smsSuppressed', 'eq', true], { profile: { smsSuppressed: true } }, true],
    [['smsSuppressed', 'ne', true], {}, true],
    [['createdAt', 'gte', '2026-01-01'], {}, true],
    [['createdAt', 'lt', '2026-01-01T02:00:00+02:00'], {}, false],
    [['tags', 'contains', 'vip'], { tags: ['vip', 'new'] }, true],
    [['tags', 'in', ['old', 'new']], { tags: ['vip', 'new'] }, true],
    [['tags', 'ne', 'vip'], { tags: ['vip', 'new'] }, false],
    [['tags', 'exists', true], {}, false],
    [['customProperties.spend', 'gte', 1000], { customProperties: { spend: 1000 } }, true],
    [['customProperties.spend', 'gte', 1000], { customProperties: { spend: '2000' } }, false],
    [['customProperties.a.b', 'eq', true], { customProperties: { 'a.b': true } }, true],
    [['customProperties.__proto__', 'exists', true], {}, false],
    [['customProperties.born', 'lt', '1990-01-01'], { customProperties: { born: '1989-06-01' } }, true],
    [['customProperties.born', 'lt', '1990-01-01'], { customProperties: { born: 'long ago' } }, false],
    [['event.order.placed.count', 'gte', 2], { events: new Map([['order.placed', { count: 2, lastAt: 0 }]]) }, true],
    [['event.seen.count', 'eq', 0], {}, true],
    [['event.seen.count', 'exists', true], {}, false],
    [['event.seen.last', 'exists', false], {}, true],
    [['firstName', 'eq', 'Zo\u00eb'], { profile: { firstName: 'Zoe\u0308' } }, true],
    [['firstName', 'contains', 'oe\u0308'], { profile: { firstName: 'Zo\u00eb' } }, true],
    [['lastName', 'in', ['x', 'e\u0301']], { profile: { lastName: '\u00e9' } }, true],
    [['tags', 'contains', 'caf\u00e9'], { tags: ['cafe\u0301'] }, true],
    [['tags', 'ne', 'cafe\u0301'], { tags: ['caf\u00e9'] }, false],
    [['customProperties.cafe\u0301', 'eq', 'cafe\u0301'], { customProperties: { 'caf\u00e9': 'caf\u00e9' } }, true],
    [['customProperties.caf\u00e9', 'eq', 'caf\u00e9'], { customProperties: { 'cafe\u0301': ['cafe\u0301'] } }, true],
  ] as const)('%j of %o is %s', (condition, facts, expected) => {
    expect(answer(condition, facts as Parameters<typeof factsOf>[0])).toBe(expected)
  })
})

describe('time', () => {
  const rule = compiled('event.seen.last', 'within_days', 30)
  const facts = factsOf({ events: new Map([['seen', { count: 1, lastAt: NEW_YEAR }]]) })

  it('ends a condition when the days are over, to the millisecond', () => {
    expect(rule.isTimed).toBe(true)
    expect(rule.matches(facts, NEW_YEAR)).toBe(true)
    expect(rule.changesAt(facts, NEW_YEAR)).toBe(NEW_YEAR + 30 * DAY)
    expect([rule.matches(facts, NEW_YEAR + 30 * DAY - 1), rule.matches(facts, NEW_YEAR + 30 * DAY)]).toEqual([true, false])
    expect(rule.changesAt(facts, NEW_YEAR + 30 * DAY)).toBeNull()
  })

  it('begins one whose moment is still to come', () => {
    expect(rule.changesAt(facts, NEW_YEAR - 5)).toBe(NEW_YEAR)
  })

  it('moves no one whom another condition keeps', () => {
    const kept = compileRule(
      parseRule({
        any: [
          { field: 'event.seen.last', op: 'within_days', value: 30 },
          { field: 'tags', op: 'contains', value: 'vip' },
        ],
      }),
    )
    expect(kept.changesAt({ ...facts, tags: ['vip'] }, NEW_YEAR)).toBeNull()
  })
})

it('a rule names the facts and events that it reads, each once', () => {
  const rule = {
    all: [
      { field: 'customProperties.spend', op: 'gt', value: 1 },
      { field: 'customProperties.size', op: 'exists', value: true },
      {
        any: [
          { field: 'event.seen.count', op: 'gt', value: 1 },
          { field: 'event.seen.last', op: 'within_days', value: 1 },
        ],
      },
    ],
  }
  expect(compileRule(parseRule(rule))).toMatchObject({ reads: ['customProperties', 'event.seen'], events: ['seen'] })
})

const anyParsed = anyRule.map((rule) => parseRule(rule))
const anyMoment = fc.integer({ min: -400, max: 400 }).map((hours) => NEW_YEAR + hours * 3_600_000)

it('any rule answers as the plainest evaluation of it', () => {
  fc.assert(
    fc.property(anyParsed, anyFacts, anyMoment, (rule, facts, now) => {
      expect(compileRule(rule).matches(facts, now)).toBe(naiveAnswer(rule, facts, now))
    }),
    { numRuns: 2_000 },
  )
})

it('the answer stays until the moment that the rule names, and is another one then', () => {
  fc.assert(
    fc.property(anyParsed, anyFacts, anyMoment, (rule, facts, now) => {
      const next = compileRule(rule).changesAt(facts, now)
      const before = naiveAnswer(rule, facts, now)
      const half = Array.from({ length: 61 }, (_, i) => now + i * DAY * 0.5).filter((moment) => next === null || moment < next)
      expect(half.every((moment) => naiveAnswer(rule, facts, moment) === before)).toBe(true)
      if (next === null) return
      expect(naiveAnswer(rule, facts, next - 1)).toBe(before)
      expect(naiveAnswer(rule, facts, next)).toBe(!before)
    }),
    { numRuns: 1_000 },
  )
})

it('facts that a rule does not read leave its answer as it is', () => {
  const without = (facts: ReturnType<typeof factsOf>, other: ReturnType<typeof factsOf>, rule: Rule): ReturnType<typeof factsOf> => {
    const reads = new Set(compileRule(rule).reads)
    return {
      profile: { ...other.profile, ...Object.fromEntries(Object.entries(facts.profile).filter(([field]) => reads.has(field))) },
      tags: reads.has('tags') ? facts.tags : other.tags,
      customProperties: reads.has('customProperties') ? facts.customProperties : other.customProperties,
      events: reads.has('event.placed') ? facts.events : other.events,
    }
  }
  fc.assert(
    fc.property(anyParsed, anyFacts, anyFacts, (rule, facts, other) => {
      expect(naiveAnswer(rule, without(facts, other, rule), NEW_YEAR)).toBe(naiveAnswer(rule, facts, NEW_YEAR))
    }),
  )
})
