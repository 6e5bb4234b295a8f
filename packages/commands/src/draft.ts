import type { EventLog, Draft as LogDraft } from '@tidings/codec'
import { type Appended, EventIdConflict, WrongExpectedRevision } from '@tidings/event-store'
import { decided } from './decision.ts'
import type { Executed, Execution, StoredEvent } from './execution.ts'
import type { RunnerDeps, Standings } from './standing.ts'
import { advanced, emptyStream, expectedRevision } from './stream-state.ts'

/** A command that was decided and not yet written; `state` is the one behind it. `stands` is its outcome, once the log has it. */
export type Draft<E = unknown, S = unknown> = Readonly<{
  append: LogDraft
  state: S
  stands: (appended: Appended) => Executed<E, S>
}>

/**
 * Decides on what is known of the stream, and on an empty one where nothing is. Null where that leaves nothing to write: whoever wants the
 * refusal, or what is so already, has to ask the log.
 */
export const drafting =
  <C, E extends StoredEvent, S>({ decider }: RunnerDeps<C, E, S>, { cache }: Standings<S>) =>
  ({ stream, command, context }: Execution<C, E, S>): Draft<E, S> | null => {
    const known = cache.get(stream) ?? emptyStream(decider.initialState)
    const { events } = decided(decider, command, known.state)
    if (events.length === 0) return null
    const state = events.reduce(decider.evolve, known.state)
    return {
      state,
      append: { stream, expected: expectedRevision(known), events, context },
      stands: (appended) => {
        cache.put(stream, advanced(known, state, appended, [context.commandId]))
        return { events, before: known.state, state, revision: appended.revision, position: appended.position }
      },
    }
  }

/** Writes all of the drafts or none. Null where nothing new was written: the log knows more than they were decided on, or cannot do it. */
export const writeTogether = async (append: EventLog['appendTogether'], drafts: readonly Draft[]): Promise<readonly Appended[] | null> => {
  try {
    const appended = (await append?.(drafts.map((draft) => draft.append))) ?? null
    // Nothing is known of what was written behind a repetition: who goes on step by step will read it.
    return appended?.some(({ duplicate }) => duplicate) ? null : appended
  } catch (error) {
    if (error instanceof WrongExpectedRevision || error instanceof EventIdConflict) return null
    throw error
  }
}
