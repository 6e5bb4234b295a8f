import { asTemplateId, type FlowStep, flowProgram, parseSteps } from '@tidings/domain'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ShownFlow } from '../../../src/api/calls.ts'
import {
  type BranchDraft,
  type Draft,
  type DraftStep,
  draftOf,
  emptyDraft,
  KINDS,
  newStep,
  type StepKind,
  writtenStep,
} from '../../../src/screens/flow-form/draft.ts'
import { inserted, moved, replaced, without } from '../../../src/screens/flow-form/edits.ts'
import { mistakeIn, numbered, problemsIn, stepNamed } from '../../../src/screens/flow-form/problems.ts'

const rule = { group: newRule(), text: null }
function newRule() {
  return { key: 'g', kind: 'all', parts: [{ key: 'c', source: 'tags', name: '', op: 'contains', type: 'text', value: 'vip' }] } as const
}

/** A step of the kind that is whole: a wait, or what has all that it needs. */
const whole = (kind: StepKind, key: string): DraftStep => {
  const step = newStep(kind, key)
  if (step.kind === 'branch') return { ...step, rule }
  return step.kind === 'wait' ? step : { ...step, templateId: '0192f0c1-0000-7000-8000-00000000000c', from: 'news@acme.example' }
}
const branch = (key: string, matched: readonly DraftStep[], otherwise: readonly DraftStep[] = []): BranchDraft => ({
  ...{ key, kind: 'branch', rule, matched, otherwise },
})
const wait = (key: string): DraftStep => whole('wait', key)

/** `a b[c|d]`: the keys, with those of the arms. */
const text = (steps: readonly DraftStep[]): string =>
  steps.map((step) => (step.kind === 'branch' ? `${step.key}[${text(step.matched)}|${text(step.otherwise)}]` : step.key)).join(' ')

it('moves a step down as the outline is read: into the branch, from arm to arm, and out of it', () => {
  let steps: readonly DraftStep[] = [wait('a'), branch('b', [wait('c')], [wait('d')]), wait('e')]
  const seen = [text(steps)]
  for (let step = 0; step < 7; step++) {
    steps = moved(steps, 'a', 'down')
    seen.push(text(steps))
  }
  expect(seen).toEqual(['a b[c|d] e', 'b[a c|d] e', 'b[c a|d] e', 'b[c|a d] e', 'b[c|d a] e', 'b[c|d] a e', 'b[c|d] e a', 'b[c|d] e a'])
})

const kind = fc.constantFrom(...KINDS)
const place = fc.nat({ max: 30 })
const edit = fc.oneof(
  fc.record({ what: fc.constant('add' as const), at: place, kind, after: fc.boolean() }),
  fc.record({ what: fc.constant('remove' as const), at: place }),
  fc.record({ what: fc.constantFrom('up' as const, 'down' as const), at: place }),
  fc.record({ what: fc.constant('change' as const), at: place, kind, isWhole: fc.boolean() }),
)
type Edit = typeof edit extends fc.Arbitrary<infer One> ? One : never

/** Everywhere a step can be put: behind each, and first in each arm. */
const placesIn = (steps: readonly DraftStep[], parent: string | null = null, arm: 'matched' | 'otherwise' = 'matched') => [
  { parent, arm, index: steps.length },
  ...steps.flatMap((step): readonly Parameters<typeof inserted>[1][] =>
    step.kind === 'branch' ? [...placesIn(step.matched, step.key, 'matched'), ...placesIn(step.otherwise, step.key, 'otherwise')] : [],
  ),
]

const after = (steps: readonly DraftStep[], asked: Edit, key: string): readonly DraftStep[] => {
  if (asked.what === 'add') {
    const places = placesIn(steps)
    const chosen = places[asked.at % places.length]
    return chosen === undefined ? steps : inserted(steps, chosen, whole(asked.kind, key))
  }
  const all = numbered(steps)
  const step = all[asked.at % Math.max(1, all.length)]?.step
  if (step === undefined) return steps
  if (asked.what === 'remove') return without(steps, step.key)
  if (asked.what !== 'change') return moved(steps, step.key, asked.what)
  const next = asked.isWhole ? whole(asked.kind, step.key) : newStep(asked.kind, step.key)
  return step.kind === 'branch' ? steps : replaced(steps, next)
}

const keysOf = (steps: readonly DraftStep[]): readonly string[] => numbered(steps).map(({ step }) => step.key)

it('keeps steps that the domain reads, or names a problem, whatever is edited; no step is lost or doubled by a move', () => {
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 40 }), (edits) => {
      let steps: readonly DraftStep[] = []
      for (const [index, asked] of edits.entries()) {
        const next = after(steps, asked, `k${index}`)
        if (asked.what === 'up' || asked.what === 'down') {
          expect(keysOf(next).toSorted()).toEqual(keysOf(steps).toSorted())
          const step = numbered(steps)[asked.at % Math.max(1, keysOf(steps).length)]?.step
          if (step !== undefined && next !== steps)
            expect(text(moved(next, step.key, asked.what === 'up' ? 'down' : 'up'))).toBe(text(steps))
        }
        steps = next
        const problems = problemsIn(steps)
        expect([...problems.keys()].every((key) => keysOf(steps).includes(key))).toBe(true)
        if (steps.length === 0) expect(mistakeIn({ ...emptyDraft, name: 'a', steps })).toBe('empty')
        else if (problems.size > 0) expect(() => parseSteps(steps.map(writtenStep), 'steps')).toThrow()
        else expect(parseSteps(steps.map(writtenStep), 'steps')).toHaveLength(steps.length)
      }
    }),
    { numRuns: 300 },
  )
})

it('names the step that has a problem, and the one that a sentence is about', () => {
  const steps = [
    wait('a'),
    branch(
      'b',
      [newStep('email', 'c'), { ...wait('d'), kind: 'wait', count: '1.5', unit: 'hour' }],
      [{ ...branch('e', []), rule: { ...rule, text: '{"all": []}' } }],
    ),
  ]
  expect([...problemsIn(steps)]).toEqual([
    ['c', 'template'],
    ['d', 'wait'],
    ['e', { sentence: expect.stringMatching(/^rule\./) }],
  ])
  expect(stepNamed(steps, 'steps[1].branch.then[0].send.from: there is no sender address "a@b.example" in this workspace')).toBe('c')
  expect(stepNamed(steps, 'The API could not be reached')).toBeNull()
  const deep = ['5', '4', '3', '2', '1'].reduce<readonly DraftStep[]>((inner, key) => [branch(key, inner)], [wait('x')])
  expect([...problemsIn(deep)]).toEqual([['5', { sentence: expect.stringContaining('too deep') }]])
  const many = Array.from({ length: 101 }, (_, index) => wait(`${index}`))
  expect([...problemsIn(many).keys()]).toEqual(['100'])
})

/** As the API answers it. */
const shown = (steps: readonly FlowStep[]): ShownFlow['steps'] =>
  flowProgram(steps).map((step) => ({
    ...{ path: step.path, type: step.type, minutes: null, channel: null, template: null, from: null, rule: null },
    ...{ next: null, matched: null, otherwise: null, inside: 0, passed: 0, left: 0 },
    ...(step.type === 'wait' && { minutes: step.minutes }),
    ...(step.type === 'send' && { channel: step.channel, template: { id: step.templateId, name: null }, from: step.from }),
    ...(step.type === 'branch' && { rule: { field: 'tags', op: 'contains', value: 'vip' } }),
  }))

it('writes a flow that was not changed as it was read', () => {
  const send = { type: 'send', channel: 'email', templateId: asTemplateId('t1'), from: 'news@acme.example' } as const
  const push = { type: 'send', channel: 'push', templateId: asTemplateId('t2'), from: null } as const
  const steps: readonly FlowStep[] = [
    { type: 'wait', minutes: 1_500 },
    { type: 'branch', rule: {}, matched: [send, { type: 'branch', rule: {}, matched: [], otherwise: [push] }], otherwise: [] },
    { type: 'wait', minutes: 0 },
  ]
  const draft: Draft = draftOf({ name: 'a', trigger: { type: 'custom_event', list: null, event: 'tea' }, steps: shown(steps) })
  const read = parseSteps(draft.steps.map(writtenStep), 'steps')
  const plain = (list: typeof read): unknown =>
    list.map((step) =>
      step.type === 'branch' ? [plain(step.matched), plain(step.otherwise)] : step.type === 'wait' ? step.minutes : step.template,
    )
  expect(plain(read)).toEqual([1_500, [['t1', [[], ['t2']]], []], 0])
  expect(mistakeIn(draft)).toBeNull()
})
