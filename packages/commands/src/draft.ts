import type { EventLog } from '@tidings/codec'
import { type Appended, EventIdConflict, WrongExpectedRevision } from '@tidings/event-store'
import type { CachedStates, RunnerDeps } from './cached-states.ts'
import { decided } from './decision.ts'
import type { Draft, Execution, StoredEvent } from './execution.ts'
import { advanced, emptyStream, expectedRevision } from './stream-state.ts'

/** Decides on the cached state of the stream, or on an empty one. Null where nothing is to write: `execute` has the refusal or the outcome. */
export function createDraft<C, E extends StoredEvent, S>(
  { decider }: RunnerDeps<C, E, S>,
  { cache }: CachedStates<S>,
  execution: Execution<C, E, S>,
): Draft<E, S> | null {
  const { stream, context } = execution
  const known = cache.get(stream) ?? emptyStream(decider.initialState)
  const { events } = decided(decider, execution, known.state)
  if (events.length === 0) return null
  const state = events.reduce(decider.evolve, known.state)
  return {
    state,
    append: { stream, expected: expectedRevision(known), events, context },
    confirm: (appended) => {
      cache.put(stream, advanced(known, state, appended, [context.commandId]))
      return { events, before: known.state, state, revision: appended.revision, position: appended.position }
    },
  }
}

/** Writes all of the drafts or none. Null where nothing new was written: a stream has moved on, a draft is there already, or the log has no such append. */
export async function writeTogether(append: EventLog['appendTogether'], drafts: readonly Draft[]): Promise<readonly Appended[] | null> {
  try {
    const appended = (await append?.(drafts.map((draft) => draft.append))) ?? null
    // The state after a repeated append is unknown here: the step by step path reads it.
    return appended?.some(({ duplicate }) => duplicate) ? null : appended
  } catch (error) {
    if (error instanceof WrongExpectedRevision || error instanceof EventIdConflict) return null
    throw error
  }
}
