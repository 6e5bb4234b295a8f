import type { ShownFlow } from '../api/calls.ts'

export type FlowStep = ShownFlow['steps'][number]
/** A step with those that follow in each arm of a branch. `number`: counted from 0, as runs name it. */
export type OutlineStep = Readonly<{ number: number; step: FlowStep; matched: readonly OutlineStep[]; otherwise: readonly OutlineStep[] }>

const ARM = /\.(then|else)\[\d+\]$/

/** The steps as they are written, the arms of branches inside of them. */
export function outlineOf(steps: readonly FlowStep[]): readonly OutlineStep[] {
  const numbered = steps.map((step, number) => ({ step, number }))
  const inArm = (parent: string, arm: 'then' | 'else' | null): readonly OutlineStep[] =>
    numbered
      .filter(({ step: { path } }) => (ARM.exec(path)?.[1] ?? null) === arm && path.replace(ARM, '') === (arm === null ? path : parent))
      .map(({ step, number }) => ({ step, number, matched: inArm(step.path, 'then'), otherwise: inArm(step.path, 'else') }))
  return inArm('', null)
}

export type WaitUnit = 'day' | 'hour' | 'minute'

/** A time to wait, in the largest unit that says it in whole numbers. */
export function waitOf(minutes: number): Readonly<{ count: number; unit: WaitUnit }> {
  if (minutes > 0 && minutes % 1_440 === 0) return { count: minutes / 1_440, unit: 'day' }
  return minutes > 0 && minutes % 60 === 0 ? { count: minutes / 60, unit: 'hour' } : { count: minutes, unit: 'minute' }
}
