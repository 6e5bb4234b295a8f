import { traces } from '@tidings/observability/traces'
import { createCachedStates, type RunnerDeps } from './cached-states.ts'
import type { Task } from './decide-together.ts'
import { createDraft } from './draft.ts'
import { isOutage } from './errors.ts'
import type { Draft, Executed, Execution, Loaded, Loading, StoredEvent } from './execution.ts'
import { createMailboxes } from './mailboxes.ts'
import { runOne } from './run-one.ts'
import { runTogether } from './run-together.ts'

export type StreamRunner<C, E, S> = Readonly<{
  execute: (execution: Execution<C, E, S>) => Promise<Executed<E, S>>
  load: (loading: Loading<C, E, S>) => Promise<Loaded<S>>
  draft: (execution: Execution<C, E, S>) => Draft<E, S> | null
  clear: () => void
}>

/** The most commands in one append: more only delay each other. */
const HOT_BATCH = 64

/** Executes the commands of one aggregate; each stream's commands one after the other, or together where the aggregate is hot. */
export function createStreamRunner<C, E extends StoredEvent, S>(deps: RunnerDeps<C, E, S>): StreamRunner<C, E, S> {
  const states = createCachedStates(deps)
  const alone = runOne(deps, states)
  const together = runTogether(deps, states, alone)

  const boxes = createMailboxes<Task<C, E, S>>({
    maxWaiting: deps.limits.maxWaiting,
    maxBatch: deps.decider.hot ? HOT_BATCH : 1,
    reject: (task, error) => task.reject(error),
    work: async (stream, tasks) => {
      try {
        if (tasks.length > 1) await together(stream, tasks)
        else for (const task of tasks) task.resolve(await alone(task.execution))
      } catch (error) {
        // No effect on tasks that are settled.
        for (const task of tasks) task.reject(error)
        if (isOutage(error)) return { error }
      }
      return null
    },
  })

  return {
    execute: (given) => {
      const execution = inItsTrace(given)
      return new Promise((resolve, reject) => boxes.post(execution.stream, { execution, resolve, reject }))
    },
    load: async (loading) => {
      const { state, revision } = await states.read(states.cache.get(loading.stream), loading)
      return { state, revision }
    },
    draft: (execution) => createDraft(deps, states, execution),
    clear: states.cache.clear,
  }
}

/** A command that waits behind others is worked off in their trace (M69): so its own goes with it. */
function inItsTrace<C, E, S>(execution: Execution<C, E, S>): Execution<C, E, S> {
  const span = traces()?.active()
  return span ? { ...execution, context: { ...execution.context, trace: span.context } } : execution
}
