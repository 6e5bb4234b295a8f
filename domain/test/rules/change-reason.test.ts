import fc from 'fast-check'
import { expect, it } from 'vitest'
import { changeReason, type FactChange } from '../../src/rules/change-reason.ts'
import { compileRule } from '../../src/rules/compile-rule.ts'
import { parseRule } from '../../src/rules/parse-rule.ts'
import { withoutFuture } from '../../src/rules/rule-facts.ts'
import { anyFacts, anyRule, factsOf, NEW_YEAR } from './rules.testing.ts'

const DAY = 86_400_000
const isAda = compileRule(parseRule({ all: [{ field: 'firstName', op: 'eq', value: 'Ada' }] }))
const recent = compileRule(parseRule({ all: [{ field: 'event.placed.last', op: 'within_days', value: 2 }] }))
const named = (firstName: string) => factsOf({ profile: { firstName } })
const placed = (day: number) => factsOf({ events: new Map([['placed', { count: 1, lastAt: NEW_YEAR + day * DAY }]]) })
const on = (day: number, facts: FactChange['facts'], by: FactChange['by'] = 'contact'): FactChange => ({
  at: NEW_YEAR + day * DAY,
  by,
  facts,
})
const since = (facts: FactChange['facts'], day = 0) => ({ at: NEW_YEAR + day * DAY, facts })
const now = NEW_YEAR + 9 * DAY

it('names the rule for a contact whose facts have matched since it was made', () => {
  expect(changeReason(isAda, { before: since(named('Ada')), changes: [on(1, named('Ada'))], now, isMatch: true })).toBe('rule')
})

it.each([
  ['a contact that is new', null, 'contact'],
  ['a contact that did not match', named('Bo'), 'contact'],
] as const)('names the contact for %s', (_, before, reason) => {
  expect(changeReason(isAda, { before: since(before), changes: [on(1, named('Ada'))], now, isMatch: true })).toBe(reason)
})

it('names the last change by which the contact came to match, whatever was before', () => {
  const changes = [on(1, placed(1), 'event'), on(5, factsOf()), on(8, placed(8), 'event')]
  expect(changeReason(recent, { before: since(factsOf()), changes, now, isMatch: true })).toBe('event')
  expect(changeReason(recent, { before: since(factsOf()), changes: changes.slice(0, 1), now, isMatch: false })).toBe('time')
})

it('names the event that brings a contact back that time took away', () => {
  const changes = [on(8, placed(8), 'event')]
  expect(changeReason(recent, { before: since(placed(0)), changes, now, isMatch: true })).toBe('event')
})

it('names the rule where the next event came in time', () => {
  const changes = [on(1, placed(1), 'event'), on(2, placed(2), 'event')]
  expect(changeReason(recent, { before: since(placed(0)), changes, now: NEW_YEAR + 3 * DAY, isMatch: true })).toBe('rule')
})

it('takes what a clock that was ahead has written for what has occurred', () => {
  const ahead = factsOf({ profile: { createdAt: now + 5_000 }, events: new Map([['placed', { count: 1, lastAt: now + 5_000 }]]) })
  expect(recent.matches(ahead, now)).toBe(false)
  const settled = withoutFuture(ahead, now)
  expect(recent.matches(settled, now)).toBe(true)
  expect(settled.profile.createdAt).toBe(now)
  const known = placed(1)
  expect(withoutFuture(known, now)).toBe(known)
})

const history = fc.array(
  fc.record({ at: fc.integer({ min: -8, max: 8 }), by: fc.constantFrom('contact', 'event'), facts: fc.option(anyFacts, { nil: null }) }),
  { maxLength: 6 },
)

it('names anything but the rule exactly when the answer was another one at some moment since', () => {
  fc.assert(
    fc.property(anyRule.map(parseRule), fc.option(anyFacts, { nil: null }), history, (rule, first, drawn) => {
      const compiled = compileRule(rule)
      const changes = drawn.map(({ at, ...one }): FactChange => ({ ...one, at: NEW_YEAR + at * DAY })).toSorted((a, b) => a.at - b.at)
      const start = NEW_YEAR - 9 * DAY
      const answers = (facts: FactChange['facts'], from: number, to: number): boolean[] => {
        const all: boolean[] = []
        // Rules of the draw turn at whole and half days.
        for (let at = from; at <= to; at += DAY / 2) all.push(facts !== null && compiled.matches(facts, at))
        return all
      }
      const spans = [{ at: start, facts: first }, ...changes]
      const seen = spans.flatMap(({ at, facts }, n) => answers(facts, at, spans[n + 1]?.at ?? now))
      const isMatch = seen.at(-1) ?? false
      const reason = changeReason(compiled, { before: { at: start, facts: first }, changes, now, isMatch })
      expect(reason !== 'rule').toBe(seen.includes(!isMatch))
    }),
    { numRuns: 500 },
  )
})
