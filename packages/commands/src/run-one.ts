import { EventIdConflict, WrongExpectedRevision } from '@tidings/event-store'
import { type CachedStates, type RunnerDeps, streamRefOf } from './cached-states.ts'
import { backOff } from './clock.ts'
import { decided, isMeanwhile } from './decision.ts'
import type { Executed, Execution, StoredEvent } from './execution.ts'
import { advanced, alreadyApplied, expectedRevision, type StreamState } from './stream-state.ts'

export type RunOne<C, E, S> = (execution: Execution<C, E, S>) => Promise<Executed<E, S>>

/** Decides, appends, and decides again on what others wrote meanwhile, until the deadline: one command, one append. */
export function runOne<C, E extends StoredEvent, S>(
  { log, decider, limits, clock }: RunnerDeps<C, E, S>,
  { cache, before, read }: CachedStates<S>,
): RunOne<C, E, S> {
  const appendTo = async (known: StreamState<S>, events: readonly E[], execution: Execution<C, E, S>): Promise<Executed<E, S>> => {
    const { stream, context } = execution
    const appended = await log.append(stream, expectedRevision(known), events, context)
    // This does not use `events`: the first run may have decided others, with another secret in them.
    if (appended.duplicate) return { ...unchanged<E, S>(await read(known, streamRefOf(execution)), true), position: appended.position }
    const state = events.reduce(decider.evolve, known.state)
    cache.put(stream, advanced(known, state, appended, [context.commandId]))
    return { events, before: known.state, state, revision: appended.revision, position: appended.position }
  }

  return async (execution) => {
    const deadline = clock.now() + limits.deadlineMs
    const { stream, context } = execution
    const ref = streamRefOf(execution)
    let { known, isRecent } = await before(ref, execution.isNew)
    for (let attempt = 0; ; ) {
      const { events, refusal } = decided(decider, execution, known.state)
      if (events.length > 0) {
        // Checked here: EventStoreDB would append known ids a second time behind later events.
        if (alreadyApplied(known, stream, context)) return unchanged(known, true)
        try {
          return await appendTo(known, events, execution)
        } catch (error) {
          if (error instanceof EventIdConflict) return unchanged(await read(known, ref), true)
          if (!(error instanceof WrongExpectedRevision)) throw error
          await backOff(attempt++, deadline, clock)
        }
      } else if (isRecent) {
        const applied = alreadyApplied(known, stream, context)
        if (applied || refusal === null) return unchanged(known, applied)
        if (!isMeanwhile(refusal)) throw refusal
        // Its own events, appended longer ago than is remembered, are behind what is expected no more: a read of the whole stream has them.
        const whole = await read(undefined, ref)
        if (!alreadyApplied(whole, stream, context)) throw refusal
        return unchanged(whole, true)
      }
      known = await read(known, ref)
      isRecent = true
    }
  }
}

/** Nothing appended by this call. Where the same command was appended before, the caller still waits for its position. */
export function unchanged<E, S>({ state, revision, position }: StreamState<S>, applied: boolean): Executed<E, S> {
  return {
    events: [],
    before: state,
    state,
    revision,
    position: applied ? position : null,
  }
}
