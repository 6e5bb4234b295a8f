import { EventIdConflict, WrongExpectedRevision } from '@tidings/event-store'
import { decideTogether, type Part, type Task } from './decide-together.ts'
import type { StoredEvent } from './execution.ts'
import { pauseBefore } from './pace.ts'
import type { RunOne } from './run-one.ts'
import type { RunnerDeps, Standing, Standings } from './standing.ts'
import { advanced, expectedRevision } from './stream-state.ts'

/**
 * Decides the commands that wait at one stream, each on what the ones before it decided, and writes all their events in one append:
 * a hot stream takes as many commands a round trip as wait. Answers are given only once the append stands, because every decision
 * rests on the ones before it. A repeated command is recognised before, so that it never spoils its neighbours; where the log knows
 * better (it was appended longer ago than is remembered), each command goes on alone.
 */
export const runTogether = <C, E extends StoredEvent, S>(
  deps: RunnerDeps<C, E, S>,
  { before, read, cache }: Standings<S>,
  alone: RunOne<C, E, S>,
) => {
  const append = async (stream: string, { known }: Standing<S>, parts: readonly Part<C, E, S>[]) => {
    const events = parts.flatMap((part) => part.events)
    const contexts = parts.flatMap(({ task, events: own }) => own.map(() => task.execution.context))
    const appended = await deps.log.append(stream, expectedRevision(known), events, contexts)
    if (appended.duplicate) throw new EventIdConflict('all of it was appended before')
    let { revision } = known
    for (const { task, events: own, before: stood, state } of parts) {
      revision += own.length
      if (own.length > 0) task.resolve({ events: own, before: stood, state, revision, position: appended.position })
    }
    const commandIds = parts.filter((part) => part.events.length > 0).map(({ task }) => task.execution.context.commandId)
    cache.put(stream, advanced(known, parts.at(-1)?.state ?? known.state, appended, commandIds))
  }

  const attemptAll = async (stream: string, tasks: readonly Task<C, E, S>[]) => {
    const deadline = deps.pace.now() + deps.limits.deadlineMs
    const { context, isNew } = tasks[0]!.execution
    const commandIds = tasks.map(({ execution }) => execution.context.commandId)
    const place = { stream, workspaceId: context.workspaceId, commandIds }
    let standing = await before(place, isNew)
    for (let attempt = 0; ; ) {
      const parts = decideTogether(deps.decider, tasks, standing)
      if (parts) {
        try {
          if (parts.some(({ events }) => events.length > 0)) await append(stream, standing, parts)
          for (const part of parts) if (part.events.length === 0) part.answer()
          return
        } catch (error) {
          if (!(error instanceof WrongExpectedRevision)) throw error
          await pauseBefore(attempt++, deadline, deps.pace)
        }
      }
      standing = { known: await read(standing.known, place), fresh: true }
    }
  }

  const oneByOne = async (tasks: Iterable<Task<C, E, S>>) => {
    for (const task of tasks) await alone(task.execution).then(task.resolve, task.reject)
  }

  return async (stream: string, tasks: readonly Task<C, E, S>[]): Promise<void> => {
    const { firsts, repeats } = apart(tasks)
    try {
      await attemptAll(stream, firsts)
    } catch (error) {
      if (error instanceof EventIdConflict) await oneByOne(firsts)
      else for (const task of firsts) task.reject(error)
    }
    await oneByOne(repeats)
  }
}

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
