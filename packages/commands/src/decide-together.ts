import type { Decider } from '@tidings/domain'
import { decided } from './decision.ts'
import type { Executed, Execution } from './execution.ts'
import { unchanged } from './run-one.ts'
import type { Standing } from './standing.ts'
import { alreadyApplied } from './stream-state.ts'

export type Task<C, E, S> = Readonly<{
  execution: Execution<C, E, S>
  resolve: (executed: Executed<E, S>) => void
  reject: (error: unknown) => void
}>

/** One command's part of the append; `answer` is for one without events. */
export type Part<C, E, S> = Readonly<{ task: Task<C, E, S>; events: readonly E[]; before: S; state: S; answer: () => void }>

/**
 * Decides each command on what the ones before it decided. A repeated command is recognised, so that it never spoils its neighbours.
 * Null when somebody's answer would rest on a state that may be old: then read first.
 */
export const decideTogether = <C, E, S>(
  decider: Decider<C, E, S>,
  tasks: readonly Task<C, E, S>[],
  { known, fresh }: Standing<S>,
): readonly Part<C, E, S>[] | null => {
  let state = known.state
  const parts: Part<C, E, S>[] = []
  for (const task of tasks) {
    const { command, stream, context } = task.execution
    const before = state
    const applied = alreadyApplied(known, stream, context)
    const { events, refusal } = applied ? { events: [], refusal: null } : decided(decider, command, before)
    if (events.length === 0 && !applied && !fresh) return null
    state = events.reduce(decider.evolve, before)
    const answer = () => (refusal ? task.reject(refusal) : task.resolve(unchanged({ ...known, state: before }, applied)))
    parts.push({ task, events, before, state, answer })
  }
  return parts
}
