import { specFor } from '@tidings/testing/decider-spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ConfigureFlow,
  countSteps,
  type FlowDefined,
  type FlowEvent,
  type FlowStep,
  flowProgram,
  flows,
  MAX_FLOWS,
} from '../../src/flow/flows.ts'
import { asFlowId } from '../../src/index.ts'

const { given } = specFor(flows)

const wait = (minutes: number): FlowStep => ({ type: 'wait', minutes })
const branch = (matched: readonly FlowStep[], otherwise: readonly FlowStep[]): FlowStep => ({
  type: 'branch',
  rule: { all: [] },
  matched,
  otherwise,
})
const flow = { flowId: asFlowId('f'), name: 'Welcome', trigger: { type: 'contact_created' }, steps: [wait(1)] } as const
const configure = (change: Partial<ConfigureFlow['data']> = {}): ConfigureFlow => ({
  type: 'ConfigureFlow',
  data: { ...flow, retired: false, ...change },
})
const defined = (version: number, change: Partial<FlowDefined['data']> = {}): FlowEvent => ({
  type: 'FlowDefined',
  data: { ...flow, version, ...change },
})
const is = (type: Exclude<FlowEvent['type'], 'FlowDefined'>): FlowEvent => ({ type, data: { flowId: asFlowId('f') } })

describe('a flow', () => {
  it('has a first version, and a new one where its trigger or its steps change', () => {
    given().when(configure()).thenEvents(defined(1))
    given(defined(1)).when(configure()).thenNothing()
    given(defined(1))
      .when(configure({ steps: [wait(2)] }))
      .thenEvents(defined(2, { steps: [wait(2)] }))
    given(defined(1), defined(2, { steps: [wait(2)] }))
      .when(configure())
      .thenEvents(defined(3))
  })

  it('is paused and resumed, whatever version it has', () => {
    given(defined(1))
      .when({ type: 'PauseFlow', data: { flowId: asFlowId('f') } })
      .thenEvents(is('FlowPaused'))
    given(defined(1), is('FlowPaused'), defined(2))
      .when({ type: 'ResumeFlow', data: { flowId: asFlowId('f') } })
      .thenEvents(is('FlowResumed'))
    given(defined(1))
      .when({ type: 'ResumeFlow', data: { flowId: asFlowId('f') } })
      .thenNothing()
    given(defined(1))
      .when({ type: 'PauseFlow', data: { flowId: asFlowId('__proto__') } })
      .thenRefused('flow_not_found')
  })

  it('is retired and restored without a new version', () => {
    given(defined(1))
      .when(configure({ retired: true }))
      .thenEvents(is('FlowRetired'))
    given(defined(1), is('FlowRetired'))
      .when(configure({ retired: true }))
      .thenNothing()
    given(defined(1), is('FlowRetired')).when(configure()).thenEvents(is('FlowRestored'))
    given()
      .when(configure({ retired: true }))
      .thenEvents(defined(1), is('FlowRetired'))
  })

  it('is one of a bounded number', () => {
    const many = Array.from({ length: MAX_FLOWS }, (_, i) => defined(1, { flowId: asFlowId(`f${i}`) }))
    given(...many)
      .when(configure())
      .thenRefused('flow_limit_reached')
    given(...many)
      .when(configure({ flowId: asFlowId('f0') }))
      .thenNothing()
  })
})

describe('the program of a flow', () => {
  it('numbers steps as they are written, and says what follows each', () => {
    const steps = [wait(1), branch([wait(2), wait(3)], [wait(4)]), wait(5)]
    const of = flowProgram(steps)
    expect(of.map((one) => [one.path, one.type === 'branch' ? [one.matched, one.otherwise] : one.next])).toEqual([
      ['steps[0]', 1],
      ['steps[1]', [2, 4]],
      ['steps[1].then[0]', 3],
      ['steps[1].then[1]', 5],
      ['steps[1].else[0]', 5],
      ['steps[2]', null],
    ])
  })

  it('goes on behind a branch without steps', () => {
    expect(flowProgram([branch([], []), wait(1)])[0]).toMatchObject({ matched: 1, otherwise: 1 })
    expect(flowProgram([branch([], [])])[0]).toMatchObject({ matched: null, otherwise: null })
  })

  it('walks every step at most once, forwards, and ends', () => {
    const step = fc.letrec<{ step: FlowStep; steps: readonly FlowStep[] }>((tie) => ({
      step: fc.oneof(
        { maxDepth: 3 },
        fc.nat(9).map(wait),
        fc.tuple(tie('steps'), tie('steps')).map(([matched, otherwise]) => branch(matched, otherwise)),
      ),
      steps: fc.array(tie('step'), { maxLength: 4 }),
    }))
    fc.assert(
      fc.property(step.steps, fc.infiniteStream(fc.boolean()), (steps, choices) => {
        const program = flowProgram(steps)
        expect(program).toHaveLength(countSteps(steps))
        let at: number | null = steps.length > 0 ? 0 : null
        while (at !== null) {
          const one = program[at]
          if (one === undefined) throw new Error(`no step ${at}`)
          const next: number | null = one.type !== 'branch' ? one.next : choices.next().value ? one.matched : one.otherwise
          if (next !== null) expect(next).toBeGreaterThan(at)
          at = next
        }
      }),
    )
  })
})
