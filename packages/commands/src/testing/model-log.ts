import { type AppendContext, type EventLog, type EventMeta, eventId, type Recorded } from '@tidings/codec'
import { type Appended, EventIdConflict, type ExpectedRevision, type ReadStreamOptions, WrongExpectedRevision } from '@tidings/event-store'

type Contexts = AppendContext | readonly AppendContext[]

const isEach = (contexts: Contexts): contexts is readonly AppendContext[] => Array.isArray(contexts)

const contextsOf = (context: Contexts, count: number): readonly AppendContext[] =>
  isEach(context) ? context : Array.from({ length: count }, () => context)

type AnyEvent = Readonly<{ type: string; data: unknown }>
type Stored = Recorded<AnyEvent>

/** What a scheduler may do around every call to the log: hold it back, fail it, never answer it. */
export type Gate = <T>(call: string, act: () => T) => Promise<T>

const straight: Gate = async (_, act) => act()

export type ModelLog = Readonly<{
  log: EventLog
  /** What was asked of the log, in order. */
  calls: string[]
  streams: () => readonly string[]
  /** The reader names the type of what it reads, as with every log. */
  events: <E extends AnyEvent>(stream: string) => readonly Recorded<E>[]
  through: (gate: Gate) => EventLog
  copy: () => ModelLog
}>

/**
 * What becomes of event ids that the stream knows already. `refused` wherever they come, as Postgres does; `at their place` only where
 * they would get the same revisions again, as EventStoreDB does, and appended a second time elsewhere.
 */
export type KnownIds = 'refused' | 'at their place'

/** A log of typed events in memory with the port's promises on revisions and event ids; each of its effects is one atomic step. */
export const modelLog = (before: readonly Stored[] = [], knownIds: KnownIds = 'refused'): ModelLog => {
  const all = [...before]
  const streams = Map.groupBy(all, ({ stream }) => stream)
  const calls: string[] = []

  const append = (stream: string, expected: ExpectedRevision, events: readonly AnyEvent[], context: Contexts): Appended => {
    const known = streams.get(stream) ?? []
    const contexts = contextsOf(context, events.length)
    const ids = contexts.map(({ commandId }, n) =>
      eventId(commandId, stream, contexts.slice(0, n).filter((other) => other.commandId === commandId).length),
    )
    const place = expected === 'no_stream' ? 0 : Number(expected) + 1
    const where = knownIds === 'refused' ? known : known.slice(place, place + ids.length)
    const repeated = where.filter(({ id }) => ids.includes(id))
    const last = repeated.at(-1)
    if (last && repeated.length === ids.length) return { revision: last.revision, position: last.position, duplicate: true }
    if (last) throw new EventIdConflict()
    const current = known.length - 1
    if (expected !== 'any' && (expected === 'no_stream' ? -1 : expected) !== current) {
      throw new WrongExpectedRevision(stream, current === -1 ? null : current)
    }
    const stored = events.map((event, n) => ({
      ...event,
      ...recordOf(stream, known.length + n, ids[n]!, contexts[n]!),
      position: { commit: BigInt(all.length + n), prepare: 0n },
    }))
    all.push(...stored)
    streams.set(stream, [...known, ...stored])
    const end = stored.at(-1)!
    return { revision: end.revision, position: end.position, duplicate: false }
  }

  const events = <E extends AnyEvent>(stream: string) =>
    (streams.get(stream) ?? []) as readonly Recorded<AnyEvent>[] as readonly Recorded<E>[]
  const head = () => ({ commit: BigInt(all.length - 1), prepare: 0n })

  const through = (gate: Gate): EventLog => ({
    append: (stream, expected, added, context) => {
      calls.push(`append ${stream}`)
      return gate(`append ${stream} ${added.map(({ type }) => type).join()}`, () => append(stream, expected, added, context))
    },
    readStream: <E extends AnyEvent>(stream: string, options: ReadStreamOptions = {}) => {
      calls.push(`read ${stream}`)
      return gate(`read ${stream}`, () => events<E>(stream).slice(options.from ?? 0))
    },
    readAll: async () => ({ events: all, to: head(), caughtUp: true }),
    subscribe: () => {
      throw new Error('the model has no subscriptions')
    },
    decode: () => {
      throw new Error('the model stores nothing that could be decoded')
    },
    head: async () => head(),
    close: async () => {},
  })

  return { log: through(straight), calls, streams: () => [...streams.keys()], events, through, copy: () => modelLog(all, knownIds) }
}

const recordOf = (stream: string, revision: number, id: string, context: AppendContext) => {
  const { workspaceId, actor, requestId, at } = context
  const meta: EventMeta = { workspaceId, actor, requestId, at, schemaVersion: 1 }
  return { id, stream, revision, created: at, meta, erased: false }
}
