import type { Decider, Refused } from '@tidings/domain'
import type { CachedState } from './cached-states.ts'
import { decided, isMeanwhile } from './decision.ts'
import type { Executed, Execution } from './execution.ts'
import { unchanged } from './run-one.ts'
import { alreadyApplied } from './stream-state.ts'

export type Task<C, E, S> = Readonly<{
  execution: Execution<C, E, S>
  resolve: (executed: Executed<E, S>) => void
  reject: (error: unknown) => void
}>

/**
 * One command's part of the append; `answer` settles one without events. `runsAlone`: it is settled behind the append instead, because whether its
 * expectation fails of its own earlier events says only the log.
 */
export type Part<C, E, S> = Readonly<{
  task: Task<C, E, S>
  events: readonly E[]
  before: S
  state: S
  answer: () => void
  runsAlone: boolean
}>

type DecisionOutcome<E, S> = Readonly<{
  events: readonly E[]
  state: S
  refusal: Refused | null
  defect: { readonly error: unknown } | null
}>

/**
 * Decides each command on what the ones before it decided. A repeated command is recognised, and one whose decision throws is left out
 * of the append, so that neither fails the others. Null when an answer would depend on a state that may be old: then read first.
 */
export function decideTogether<C, E, S>(
  decider: Decider<C, E, S>,
  tasks: readonly Task<C, E, S>[],
  { known, isRecent }: CachedState<S>,
): readonly Part<C, E, S>[] | null {
  let state = known.state
  const parts: Part<C, E, S>[] = []
  for (const task of tasks) {
    const { stream, context } = task.execution
    const before = state
    const applied = alreadyApplied(known, stream, context)
    const { events, state: after, refusal, defect } = applied ? nothing<E, S>(before) : outcomeOf(decider, task.execution, before)
    if (events.length === 0 && defect === null && !applied && !isRecent) return null
    state = after
    const answer = () => {
      if (refusal ?? defect) task.reject(refusal ?? defect?.error)
      else task.resolve(unchanged({ ...known, state: before }, applied))
    }
    parts.push({ task, events, before, state, answer, runsAlone: isMeanwhile(refusal) })
  }
  return parts
}

const nothing = <E, S>(state: S): DecisionOutcome<E, S> => ({ events: [], state, refusal: null, defect: null })

const outcomeOf = <C, E, S>(decider: Decider<C, E, S>, execution: Execution<C, E, S>, before: S): DecisionOutcome<E, S> => {
  try {
    const { events, refusal } = decided(decider, execution, before)
    return { events, state: events.reduce(decider.evolve, before), refusal, defect: null }
  } catch (error) {
    return { ...nothing<E, S>(before), defect: { error } }
  }
}
