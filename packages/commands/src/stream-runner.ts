import type { EventLog } from '@tidings/codec'
import type { Decider } from '@tidings/domain'
import { EventIdConflict, WrongExpectedRevision } from '@tidings/event-store'
import { decided } from './decision.ts'
import type { Executed, Execution, Loaded, Loading, StoredEvent } from './execution.ts'
import { mailboxes } from './mailboxes.ts'
import { type Pace, pauseBefore } from './pace.ts'
import { stateCache } from './state-cache.ts'
import { advanced, alreadyApplied, emptyStream, expectedRevision, refreshed, type StreamState } from './stream-state.ts'

export type RunnerLimits = Readonly<{ deadlineMs: number; maxWaiting: number; cacheBytes: number; cacheStreams: number }>

type Deps<C, E, S> = Readonly<{ log: EventLog; decider: Decider<C, E, S>; limits: RunnerLimits; pace: Pace }>

export type StreamRunner<C, E, S> = Readonly<{
  execute: (execution: Execution<C, E, S>) => Promise<Executed<E, S>>
  load: (loading: Loading<C, E, S>) => Promise<Loaded<S>>
  forget: (stream: string) => void
}>

type Task<C, E, S> = Readonly<{
  execution: Execution<C, E, S>
  resolve: (executed: Executed<E, S>) => void
  reject: (error: unknown) => void
}>

/** `fresh`: read after the command arrived, so that a decision without an append may be answered. */
type Standing<S> = Readonly<{ known: StreamState<S>; fresh: boolean }>

/** Executes the commands of one aggregate; each stream's commands one after the other. */
export const streamRunner = <C, E extends StoredEvent, S>({ log, decider, limits, pace }: Deps<C, E, S>): StreamRunner<C, E, S> => {
  const cache = stateCache<S>({ maxBytes: limits.cacheBytes, maxStreams: limits.cacheStreams })
  const empty = emptyStream(decider.initialState)

  const read = async (known: StreamState<S>, { stream, workspaceId }: Readonly<{ stream: string; workspaceId: string }>) => {
    const now = await refreshed(known, { log, decider, stream, workspaceId })
    cache.put(stream, now)
    return now
  }

  const standing = async ({ stream, context, isNew }: Execution<C, E, S>): Promise<Standing<S>> => {
    const known = cache.get(stream) ?? (isNew ? empty : undefined)
    if (known) return { known, fresh: false }
    return { known: await read(empty, { stream, workspaceId: context.workspaceId }), fresh: true }
  }

  const appendTo = async (
    known: StreamState<S>,
    events: readonly E[],
    { stream, context }: Execution<C, E, S>,
  ): Promise<Executed<E, S>> => {
    const appended = await log.append(stream, expectedRevision(known), events, context)
    if (appended.duplicate) {
      const now = await read(known, { stream, workspaceId: context.workspaceId })
      return { events, before: known.state, state: now.state, revision: now.revision, position: appended.position }
    }
    const state = events.reduce(decider.evolve, known.state)
    cache.put(stream, advanced(known, state, appended, [context.commandId]))
    return { events, before: known.state, state, revision: appended.revision, position: appended.position }
  }

  const run = async (execution: Execution<C, E, S>): Promise<Executed<E, S>> => {
    const deadline = pace.now() + limits.deadlineMs
    const { stream, command, context } = execution
    const reading = { stream, workspaceId: context.workspaceId }
    let { known, fresh } = await standing(execution)
    for (let attempt = 0; ; ) {
      const { events, refusal } = decided(decider, command, known.state)
      if (events.length > 0) {
        try {
          return await appendTo(known, events, execution)
        } catch (error) {
          if (error instanceof EventIdConflict) return unchanged(await read(known, reading), true)
          if (!(error instanceof WrongExpectedRevision)) throw error
          await pauseBefore(attempt++, deadline, pace)
        }
      } else if (fresh) {
        const applied = alreadyApplied(known, stream, context)
        if (refusal && !applied) throw refusal
        return unchanged(known, applied)
      }
      known = await read(known, reading)
      fresh = true
    }
  }

  const boxes = mailboxes<Task<C, E, S>>({
    maxWaiting: limits.maxWaiting,
    maxBatch: 1,
    work: async (_, tasks) => {
      for (const { execution, resolve, reject } of tasks) await run(execution).then(resolve, reject)
    },
  })

  return {
    execute: (execution) => new Promise((resolve, reject) => boxes.post(execution.stream, { execution, resolve, reject })),
    load: async (loading) => {
      const { state, revision } = await read(cache.get(loading.stream) ?? empty, loading)
      return { state, revision }
    },
    forget: cache.forget,
  }
}

/** Nothing appended by this call. Where the same command was appended before, its readers still want to wait for it. */
const unchanged = <E, S>({ state, revision, position }: StreamState<S>, applied: boolean): Executed<E, S> => ({
  events: [],
  before: state,
  state,
  revision,
  position: applied ? position : null,
})
