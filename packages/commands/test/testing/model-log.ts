import { type AppendContext, type Draft, type EventLog, type EventMeta, eventId, ForeignEvent, type Recorded } from '@tidings/codec'
import type { WorkspaceId } from '@tidings/domain'
import { type Appended, EventIdConflict, type ReadStreamOptions, WrongExpectedRevision } from '@tidings/event-store'

type Contexts = AppendContext | readonly AppendContext[]

const isEach = (contexts: Contexts): contexts is readonly AppendContext[] => Array.isArray(contexts)

const contextsOf = (context: Contexts, count: number): readonly AppendContext[] =>
  isEach(context) ? context : Array.from({ length: count }, () => context)

type AnyEvent = Readonly<{ type: string; data: unknown }>
type Stored = Recorded<AnyEvent>

/** What a scheduler may do around every call to the log: delay it, fail it, never answer it. */
export type Gate = <T>(call: string, act: () => T) => Promise<T>

const straight: Gate = async (_, act) => act()

export type ModelLog = Readonly<{
  log: EventLog
  /** The calls to the log, in order. */
  calls: string[]
  streams: () => readonly string[]
  /** The reader names the type of what it reads, as with every log. */
  events: <E extends AnyEvent>(stream: string) => readonly Recorded<E>[]
  through: (gate: Gate) => EventLog
  copy: () => ModelLog
  /** What `act` answers, whose effects on the log are taken back. */
  peek: <T>(act: () => T) => T
}>

/**
 * What becomes of event ids that the stream knows already. `refused` wherever they come, as Postgres does; `at their place` only where
 * they would get the same revisions again, as EventStoreDB does, and appended a second time elsewhere.
 */
export type KnownIds = 'refused' | 'at their place'

/** A log of typed events in memory with the port's promises on revisions and event ids; each of its effects is one atomic step. */
export function modelLog(before: readonly Stored[] = [], knownIds: KnownIds = 'refused'): ModelLog {
  const all = [...before]
  const streams = Map.groupBy(all, ({ stream }) => stream)
  const calls: string[] = []

  type Judged = Readonly<{ repeated: Appended | null; ids: readonly string[]; contexts: readonly AppendContext[] }>

  const judge = ({ stream, expected, events, context }: Draft): Judged => {
    const known = streams.get(stream) ?? []
    const contexts = contextsOf(context, events.length)
    const ids = contexts.map(({ commandId }, n) =>
      eventId(commandId, stream, contexts.slice(0, n).filter((other) => other.commandId === commandId).length),
    )
    const at = expected === 'no_stream' ? 0 : Number(expected) + 1
    const where = knownIds === 'refused' ? known : known.slice(at, at + ids.length)
    const found = where.filter(({ id }) => ids.includes(id))
    const last = found.at(-1)
    if (last && found.length === ids.length) {
      return { repeated: { revision: last.revision, position: last.position, duplicate: true }, ids, contexts }
    }
    if (last) throw new EventIdConflict()
    const current = known.length - 1
    if (expected !== 'any' && (expected === 'no_stream' ? -1 : expected) !== current) {
      throw new WrongExpectedRevision(stream, current === -1 ? null : current)
    }
    return { repeated: null, ids, contexts }
  }

  const append = (draft: Draft): Appended => {
    const { repeated, ids, contexts } = judge(draft)
    if (repeated) return repeated
    const { stream, events } = draft
    const known = streams.get(stream) ?? []
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

  const appendTogether = (drafts: readonly Draft[]): readonly Appended[] => {
    const repeated = drafts.filter((draft) => judge(draft).repeated !== null)
    if (repeated.length > 0 && repeated.length < drafts.length) throw new EventIdConflict()
    return drafts.map(append)
  }

  const events = <E extends AnyEvent>(stream: string) =>
    (streams.get(stream) ?? []) as readonly Recorded<AnyEvent>[] as readonly Recorded<E>[]
  const head = () => ({ commit: BigInt(all.length - 1), prepare: 0n })

  const through = (gate: Gate): EventLog => ({
    append: (stream, expected, added, context) => {
      calls.push(`append ${stream}`)
      return gate(`append ${stream} ${typesOf(added)}`, () => append({ stream, expected, events: added, context }))
    },
    appendTogether: (drafts) => {
      const what = drafts.map(({ stream }) => stream).join(' + ')
      calls.push(`append ${what}`)
      return gate(`append ${what} ${drafts.map(({ events }) => typesOf(events)).join(' + ')}`, () => appendTogether(drafts))
    },
    readStream: <E extends AnyEvent>(workspaceId: WorkspaceId, stream: string, options: ReadStreamOptions = {}) => {
      calls.push(`read ${stream}`)
      return gate(`read ${stream}`, () => {
        const read = slice(events<E>(stream), options)
        if (read.some(({ meta }) => meta.workspaceId !== workspaceId)) throw new ForeignEvent(stream)
        return read
      })
    },
    readAll: async () => ({ events: all, to: head(), caughtUp: true }),
    pages: async function* () {
      yield { events: all, to: head(), caughtUp: true }
    },
    subscribe: () => {
      throw new Error('the model has no subscriptions')
    },
    decode: () => {
      throw new Error('the model stores nothing that could be decoded')
    },
    head: async () => head(),
    confirm: async () => {},
    close: async () => {},
  })

  const peek = <T>(act: () => T): T => {
    const [count, before] = [all.length, [...streams]]
    try {
      return act()
    } finally {
      all.length = count
      streams.clear()
      for (const [stream, stored] of before) streams.set(stream, stored)
    }
  }

  return { log: through(straight), calls, streams: () => [...streams.keys()], events, through, copy: () => modelLog(all, knownIds), peek }
}

const slice = <E>(all: readonly E[], { from, direction, limit = all.length }: ReadStreamOptions): readonly E[] =>
  direction === 'backwards'
    ? all
        .slice(0, (from ?? all.length) + 1)
        .reverse()
        .slice(0, limit)
    : all.slice(from ?? 0).slice(0, limit)

const typesOf = (events: readonly AnyEvent[]): string => events.map(({ type }) => type).join()

const recordOf = (stream: string, revision: number, id: string, context: AppendContext) => {
  const { workspaceId, actor, requestId, at } = context
  const meta: EventMeta = { workspaceId, actor, requestId, at, schemaVersion: 1 }
  return { id, stream, revision, created: at, meta, erased: false }
}
