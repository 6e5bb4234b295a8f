import type { AppendContext } from '@tidings/codec'
import type { CommandExecutor, StoredEvent } from '@tidings/commands'
import { type Decider, sameJson, type WorkspaceId, workspaceStream } from '@tidings/domain'
import { type Position, START } from '@tidings/event-store'
import type { Provisioner } from './provisioner.ts'

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

/** What a command is about, as it was; an empty path is all of the state. */
type TouchedPart = Readonly<{ path: readonly string[]; value: unknown }>

/** Parts of a workspace that are records by their ids: one may change beside the other. */
const RECORDS: ReadonlySet<string> = new Set(['senderDomains', 'senderAddresses', 'forms'])

type Fields = Readonly<Record<string, unknown>>

const changedIn = (before: Fields, after: Fields): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => !sameJson(before[key] ?? null, after[key] ?? null))

/**
 * What of the state of a workspace becomes another. Its stream has much that no person writes, such as that a mail was sent or what DNS says, which a
 * command about something else neither sees nor changes.
 */
function touchedOfWorkspace(before: object, after: object): readonly TouchedPart[] {
  // The casts hold: a state is a map of its parts, and those named in RECORDS are maps of records.
  const [was, is] = [before as Fields, after as Fields]
  return changedIn(was, is).flatMap((part) => {
    if (!RECORDS.has(part)) return [{ path: [part], value: was[part] }]
    const [records, others] = [was[part] as Fields, is[part] as Fields]
    return changedIn(records, others).map((id) => ({ path: [part, id], value: records[id] ?? null }))
  })
}

/** Whether each part still is as it was. */
function isUntouched(state: unknown, parts: readonly TouchedPart[]): boolean {
  return parts.every(({ path, value }) => {
    const found = path.reduce<unknown>((at, step) => (at as Fields | undefined)?.[step], state)
    return sameJson(found ?? null, value ?? null)
  })
}
