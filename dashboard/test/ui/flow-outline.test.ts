import { asTemplateId, type FlowStep as DomainStep, flowProgram } from '@tidings/domain'
import { expect, it } from 'vitest'
import { type FlowStep, type OutlineStep, outlineOf, waitOf } from '../../src/ui/flow-outline.ts'

const wait = (minutes: number): DomainStep => ({ type: 'wait', minutes })
const branch = (matched: readonly DomainStep[], otherwise: readonly DomainStep[] = []): DomainStep => ({
  ...{ type: 'branch', rule: {}, matched, otherwise },
})
const push: DomainStep = { type: 'send', channel: 'push', templateId: asTemplateId('t'), from: null }

/** As the API answers it, by the paths that the domain gives. */
const shown = (steps: readonly DomainStep[]): readonly FlowStep[] =>
  flowProgram(steps).map(({ path, type }) => ({
    ...{ path, type, minutes: null, channel: null, template: null, from: null, rule: null },
    ...{ next: null, matched: null, otherwise: null, inside: 0, passed: 0, left: 0 },
  }))

const numbers = (steps: readonly OutlineStep[]): unknown =>
  steps.map(({ number, matched, otherwise }) =>
    matched.length + otherwise.length === 0 ? number : [number, numbers(matched), numbers(otherwise)],
  )

it('nests the steps of branches as they are written, with the numbers that runs have', () => {
  const steps = [wait(1), branch([push, branch([wait(2)], [wait(3), push])], [wait(4)]), push, branch([])]
  expect(numbers(outlineOf(shown(steps)))).toEqual([0, [1, [2, [3, [4], [5, 6]]], [7]], 8, 9])
  expect(outlineOf([])).toEqual([])
})

it.each([
  [0, 0, 'minute'],
  [1, 1, 'minute'],
  [60, 1, 'hour'],
  [90, 90, 'minute'],
  [4_320, 3, 'day'],
  [1_500, 25, 'hour'],
])('says %i minutes as %i of a unit: %s', (minutes, count, unit) => {
  expect(waitOf(minutes)).toEqual({ count, unit })
})
