import type { AppendContext } from '@tidings/codec'
import type { CommandExecutor, StoredEvent } from '@tidings/commands'
import { type Decider, type WorkspaceId, workspaceStream } from '@tidings/domain'
import { type Position, START } from '@tidings/event-store'
import type { Provisioner } from './provisioner.ts'
import { isUntouched, touchedOfWorkspace } from './touched.ts'

/**
 * A command that would write something. `before`: the state that it was decided on; `touches`: what of that it is about. `run` carries it out where that
 * still is so, else refuses with `changed_meanwhile`.
 */
export type PlannedCommand = Readonly<{
  stream: string
  before: unknown
  touches: ReturnType<typeof touchedOfWorkspace>
  events: readonly StoredEvent[]
  run: (commands: CommandExecutor, context: Omit<AppendContext, 'workspaceId'>) => Promise<Position | null>
}>

/**
 * Decides as a provisioner does and writes nothing: each command sees what those before it would have written. `planned`: in the order in which they were
 * given, whichever stream was read first.
 */
export function createTrial(
  from: Pick<Provisioner, 'load' | 'dynamicLists' | 'workspacesWithSender'>,
): Readonly<{ to: Provisioner; planned: () => readonly PlannedCommand[] }> {
  const given: (PlannedCommand | null)[] = []
  const bases = new Map<string, Promise<unknown>>()
  const states = new Map<string, unknown>()

  /** The casts hold: a stream has one decider. */
  const baseOf = <C, E extends StoredEvent, S>(workspaceId: WorkspaceId, decider: Decider<C, E, S>, stream: string): Promise<S> => {
    const base = bases.get(stream) ?? from.load(workspaceId, decider, stream)
    bases.set(stream, base)
    return base as Promise<S>
  }
  const now = <S>(stream: string, base: S): S => (states.has(stream) ? (states.get(stream) as S) : base)

  return {
    planned: () => given.filter((command) => command !== null),
    to: {
      ...from,
      load: async (workspaceId, decider, stream) => now(stream, await baseOf(workspaceId, decider, stream)),
      execute: async (workspaceId, decider, stream, command) => {
        const place = given.push(null) - 1
        // Nothing is awaited between this and the new state: steps of one stream that run at once see each other.
        const before = now(stream, await baseOf(workspaceId, decider, stream))
        const events = decider.decide(command, before)
        if (events.length === 0) return events
        const after = events.reduce(decider.evolve, before)
        states.set(stream, after)
        const isOfWorkspace = stream === workspaceStream(workspaceId)
        const touches = isOfWorkspace ? touchedOfWorkspace(before as object, after as object) : [{ path: [], value: before }]
        const expects = (state: unknown): boolean => isUntouched(state, touches)
        given[place] = {
          ...{ stream, before, touches, events },
          run: async (commands, context) =>
            (await commands.execute({ decider, stream, command, context: { ...context, workspaceId }, expects })).position,
        }
        return events
      },
      last: () => START,
    },
  }
}
