import type { AppendContext } from '@tidings/codec'
import type { CommandExecutor, StoredEvent } from '@tidings/commands'
import { type Decider, sameJson, type WorkspaceId } from '@tidings/domain'
import { type Position, START } from '@tidings/event-store'
import type { Provisioner } from './provisioner.ts'

/**
 * A command that would write something. `before`: the state that it was decided on. `run` carries it out where its stream still has that state, else
 * refuses with `changed_meanwhile`.
 */
export type PlannedCommand = Readonly<{
  stream: string
  before: unknown
  events: readonly StoredEvent[]
  run: (commands: CommandExecutor, context: Omit<AppendContext, 'workspaceId'>) => Promise<Position | null>
}>

/** Decides as a provisioner does and writes nothing: each command sees what those before it would have written. `planned`: in their order. */
export function createTrial(
  from: Pick<Provisioner, 'load' | 'dynamicLists' | 'workspacesWithSender'>,
): Readonly<{ to: Provisioner; planned: readonly PlannedCommand[] }> {
  const planned: PlannedCommand[] = []
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
    planned,
    to: {
      ...from,
      load: async (workspaceId, decider, stream) => now(stream, await baseOf(workspaceId, decider, stream)),
      execute: async (workspaceId, decider, stream, command) => {
        // Nothing is awaited between this and the new state: steps of one stream that run at once see each other.
        const before = now(stream, await baseOf(workspaceId, decider, stream))
        const events = decider.decide(command, before)
        if (events.length === 0) return events
        states.set(stream, events.reduce(decider.evolve, before))
        const expects = (state: unknown): boolean => sameJson(state, before)
        planned.push({
          ...{ stream, before, events },
          run: async (commands, context) =>
            (await commands.execute({ decider, stream, command, context: { ...context, workspaceId }, expects })).position,
        })
        return events
      },
      last: () => START,
    },
  }
}
