import type { FlowStep } from './flow.events.ts'

type Numbered<Step> = Step & Readonly<{ path: string }>
type Kind<Type extends FlowStep['type']> = Extract<FlowStep, { type: Type }>

/** `path`: where the step is in the workspace file. `next`, `matched`, `otherwise`: the number of a step, null where the flow ends. */
export type Instruction =
  | Numbered<Kind<'wait'> & Readonly<{ next: number | null }>>
  | Numbered<Kind<'send'> & Readonly<{ next: number | null }>>
  | Numbered<Readonly<{ type: 'branch'; rule: Kind<'branch'>['rule']; matched: number | null; otherwise: number | null }>>

/** The steps of a version, numbered from 0 in the order in which they are written. The same steps always have the same numbers. */
export function flowProgram(steps: readonly FlowStep[]): readonly Instruction[] {
  return sequence(steps, { from: 0, after: null, path: 'steps' })
}

type Place = Readonly<{ from: number; after: number | null; path: string }>

function sequence(steps: readonly FlowStep[], { from, after, path }: Place): readonly Instruction[] {
  const program: Instruction[] = []
  for (const [i, step] of steps.entries()) {
    const at = from + program.length
    const next = i + 1 < steps.length ? at + sizeOf(step) : after
    program.push(...instructionsOf(step, { from: at, after: next, path: `${path}[${i}]` }))
  }
  return program
}

function instructionsOf(step: FlowStep, { from, after, path }: Place): readonly Instruction[] {
  if (step.type !== 'branch') return [{ ...step, path, next: after }]
  const second = from + 1 + countSteps(step.matched)
  return [
    {
      type: 'branch',
      rule: step.rule,
      path,
      matched: step.matched.length > 0 ? from + 1 : after,
      otherwise: step.otherwise.length > 0 ? second : after,
    },
    ...sequence(step.matched, { from: from + 1, after, path: `${path}.then` }),
    ...sequence(step.otherwise, { from: second, after, path: `${path}.else` }),
  ]
}

const sizeOf = (step: FlowStep): number => (step.type === 'branch' ? 1 + countSteps(step.matched) + countSteps(step.otherwise) : 1)

/** All steps, those of branches included. */
export function countSteps(steps: readonly FlowStep[]): number {
  return steps.reduce((sum, step) => sum + sizeOf(step), 0)
}
