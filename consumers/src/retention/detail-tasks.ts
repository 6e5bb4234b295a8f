import { clearEnded } from './clear-ended.ts'
import { type Ending, endDueDetails, repeatEnds } from './end-details.ts'
import type { RetentionTask } from './run-retention.ts'

type Options = Ending & Readonly<{ clearAfterSeconds?: number }>

/** A process knows within a minute what another has ended, has cached a key for five at most, and writes a batch within a minute. */
const CLEAR_AFTER_SECONDS = 540
const WORKSPACES = 100

/** What ends details of events: what is due, and once a process what the log says has ended before. */
export function detailTasks({ clearAfterSeconds = CLEAR_AFTER_SECONDS, ...ending }: Options): readonly RetentionTask[] {
  let repeated: Readonly<{ last: string | null }> = { last: null }
  let isRepeated = false
  let clearing: AsyncGenerator<number> | null = null
  return [
    {
      name: 'ends of details that the log knows',
      batch: WORKSPACES,
      run: async (limit) => {
        if (isRepeated) return { rows: 0, more: false }
        const { looked, last } = await repeatEnds(ending, { last: repeated.last, limit })
        repeated = { last }
        isRepeated = looked < limit
        return { rows: 0, more: !isRepeated }
      },
    },
    { name: 'details of events', batch: WORKSPACES, run: (limit) => endDueDetails(ending, limit) },
    {
      name: 'rows with details of events',
      batch: 1,
      run: async () => {
        clearing ??= clearEnded(ending.pool, clearAfterSeconds)
        const step = await clearing.next().catch((error: unknown) => {
          clearing = null
          throw error
        })
        if (!step.done) return { rows: step.value, more: true }
        clearing = null
        return { rows: 0, more: false }
      },
    },
  ]
}
