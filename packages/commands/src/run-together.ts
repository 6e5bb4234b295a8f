import { EventIdConflict, StreamDeleted, WrongExpectedRevision } from '@tidings/event-store'
import { isRetryable } from '@tidings/postgres'
import type { CachedState, CachedStates, RunnerDeps } from './cached-states.ts'
import { backOff } from './clock.ts'
import { decideTogether, type Part, type Task } from './decide-together.ts'
import type { StoredEvent } from './execution.ts'
import type { RunOne } from './run-one.ts'
import { advanced, expectedRevision } from './stream-state.ts'

/**
 * Decides the commands that wait at one stream, each on what the ones before it decided, and writes all their events in one append:
 * a hot stream takes as many commands a round trip as wait. A command is answered only once the append is durable, because every decision
 * rests on the ones before it. A repeated command is recognised before; where only the log recognises it
 * (it was appended longer ago than is remembered), each command runs alone.
 *
 * An append that the log refuses wrote nothing. The commands go on in two halves, until the refusal is that of one command: a bad one
 * costs its neighbours about two more appends for each halving, and what is too large for one append goes into several. An error of
 * the stream or the log, not of a command, rejects all that wait.
 */
export function runTogether<C, E extends StoredEvent, S>(
  deps: RunnerDeps<C, E, S>,
  { before, read, cache }: CachedStates<S>,
  alone: RunOne<C, E, S>,
) {
  const append = async (stream: string, { known }: CachedState<S>, parts: readonly Part<C, E, S>[]) => {
    const events = parts.flatMap((part) => part.events)
    const contexts = parts.flatMap(({ task, events: own }) => own.map(() => task.execution.context))
    const appended = await deps.log.append(stream, expectedRevision(known), events, contexts)
    if (appended.duplicate) throw new EventIdConflict('all of it was appended before')
    let { revision } = known
    for (const { task, events: own, before, state } of parts) {
      revision += own.length
      if (own.length > 0) task.resolve({ events: own, before, state, revision, position: appended.position })
    }
    const commandIds = parts.filter((part) => part.events.length > 0).map(({ task }) => task.execution.context.commandId)
    cache.put(stream, advanced(known, parts.at(-1)?.state ?? known.state, appended, commandIds))
  }

  /** Throws what concerns more than one command, so that an outage costs one append. */
  const oneByOne = async (tasks: readonly Task<C, E, S>[]): Promise<void> => {
    for (const task of tasks) {
      try {
        task.resolve(await alone(task.execution))
      } catch (error) {
        if (isRetryable(error)) throw error
        task.reject(error)
      }
    }
  }

  /** Resolves all of the tasks, or gives the log's refusal of their append. */
  const attemptAll = async (stream: string, tasks: readonly Task<C, E, S>[]): Promise<Refusal | null> => {
    const deadline = deps.clock.now() + deps.limits.deadlineMs
    const { context, isNew } = tasks[0]!.execution
    const commandIds = tasks.map(({ execution }) => execution.context.commandId)
    const ref = { stream, workspaceId: context.workspaceId, commandIds }
    let state = await before(ref, isNew)
    for (let attempt = 0; ; ) {
      const parts = decideTogether(deps.decider, tasks, state)
      if (parts) {
        try {
          if (parts.some(({ events }) => events.length > 0)) await append(stream, state, parts)
          for (const part of parts) if (part.events.length === 0 && !part.runsAlone) part.answer()
          await oneByOne(parts.filter(({ runsAlone }) => runsAlone).map(({ task }) => task))
          return null
        } catch (error) {
          if (!(error instanceof WrongExpectedRevision)) return { error }
          await backOff(attempt++, deadline, deps.clock)
        }
      }
      state = { known: await read(state.known, ref), isRecent: true }
    }
  }

  const attemptHalves = async (stream: string, tasks: readonly Task<C, E, S>[]): Promise<void> => {
    const refusal = await attemptAll(stream, tasks)
    if (refusal === null) return
    const { error } = refusal
    if (error instanceof EventIdConflict) return oneByOne(tasks)
    if (isRetryable(error) || error instanceof StreamDeleted) throw error
    if (tasks.length === 1) return tasks[0]?.reject(error)
    const half = Math.ceil(tasks.length / 2)
    await attemptHalves(stream, tasks.slice(0, half))
    await attemptHalves(stream, tasks.slice(half))
  }

  /** Throws the error of all tasks that are not settled yet. */
  return async (stream: string, tasks: readonly Task<C, E, S>[]): Promise<void> => {
    const { firsts, repeats } = apart(tasks)
    await attemptHalves(stream, firsts)
    await oneByOne(repeats)
  }
}

type Refusal = Readonly<{ error: unknown }>

/** A command that waits twice is decided once; its repetition finds it in the log. */
const apart = <C, E, S>(tasks: readonly Task<C, E, S>[]) => {
  const firsts = new Map<string, Task<C, E, S>>()
  const repeats: Task<C, E, S>[] = []
  for (const task of tasks) {
    const { commandId } = task.execution.context
    if (firsts.has(commandId)) repeats.push(task)
    else firsts.set(commandId, task)
  }
  return { firsts: [...firsts.values()], repeats }
}
