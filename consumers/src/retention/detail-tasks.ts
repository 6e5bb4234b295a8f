import { clearEnded } from './clear-ended.ts'
import { type Ending, endDueDetails, repeatEnds } from './end-details.ts'
import { areWorkspacesShown } from './ended-details-table.ts'
import type { RetentionTask } from './retention-task.ts'

type DetailTaskOptions = Ending & Readonly<{ clearAfterSeconds?: number }>

/** A process knows within a minute what another has ended, has cached a key for five at most, and writes a batch within a minute. */
const CLEAR_AFTER_SECONDS = 540

/** The tasks that end details of events: those that are due, and, once a process, those that the log says have ended before. */
export function detailTasks({ clearAfterSeconds = CLEAR_AFTER_SECONDS, ...ending }: DetailTaskOptions): readonly RetentionTask[] {
  const stepwise = stepsOnceShown(ending.pool)
  return [
    stepwise(
      'ends of details that the log knows',
      once(() => repeatEnds(ending)),
    ),
    stepwise('details of events', () => endDueDetails(ending)),
    stepwise('rows with details of events', () => clearEnded(ending.pool, clearAfterSeconds)),
  ]
}

/** A batch is a step of the work, which answers how many rows it was; the work begins anew behind its last one, or where it has failed. */
const stepsOnceShown =
  (pool: Ending['pool']) =>
  (name: string, begin: () => AsyncGenerator<number>): RetentionTask => {
    let work: AsyncGenerator<number> | null = null
    return {
      name,
      batch: 1,
      run: async () => {
        // The first start comes here before the projection has its table.
        if (work === null && !(await areWorkspacesShown(pool))) return { rows: 0, more: false }
        work ??= begin()
        const step = await work.next().catch((error: unknown) => {
          work = null
          throw error
        })
        if (!step.done) return { rows: step.value, more: true }
        work = null
        return { rows: 0, more: false }
      },
    }
  }

/** Nothing more once it has come to its end. */
const once = (begin: () => AsyncGenerator<number>): (() => AsyncGenerator<number>) => {
  let isDone = false
  return async function* () {
    if (isDone) return
    yield* begin()
    isDone = true
  }
}
