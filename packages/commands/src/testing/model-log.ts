import { type AppendContext, type EventLog, type EventMeta, eventId, type Recorded } from '@tidings/codec'
import { EventIdConflict, type ExpectedRevision, WrongExpectedRevision } from '@tidings/event-store'

type Stored = Recorded<Readonly<{ type: string; data: unknown }>>

/** What a scheduler may do around every call to the log: hold it back, fail it, never answer it. */
export type Gate = <T>(call: string, act: () => T) => Promise<T>

const straight: Gate = async (_, act) => act()

export type ModelLog = Readonly<{
  log: EventLog
  streams: ReadonlyMap<string, readonly Stored[]>
  calls: string[]
  through: (gate: Gate) => EventLog
}>

/** A log of typed events in memory with the port's promises on revisions and event ids; each of its effects is one atomic step. */
export const modelLog = (): ModelLog => {
  const streams = new Map<string, Stored[]>()
  const all: Stored[] = []
  const calls: string[] = []

  const append = (
    stream: string,
    expected: ExpectedRevision,
    events: readonly Readonly<{ type: string; data: unknown }>[],
    context: AppendContext,
  ) => {
    const known = streams.get(stream) ?? []
    const ids = events.map((_, n) => eventId(context.commandId, stream, n))
    const repeated = known.filter((event) => ids.includes(event.id))
    const last = repeated.at(-1)
    if (last && repeated.length === ids.length) return { revision: last.revision, position: last.position, duplicate: true }
    if (last) throw new EventIdConflict()
    const current = known.length - 1
    if (expected !== 'any' && (expected === 'no_stream' ? -1 : expected) !== current) {
      throw new WrongExpectedRevision(stream, current === -1 ? null : current)
    }
    for (const [n, event] of events.entries()) {
      const stored = { ...event, ...place(stream, known.length, ids[n]!, context), position: { commit: BigInt(all.length), prepare: 0n } }
      known.push(stored)
      all.push(stored)
    }
    streams.set(stream, known)
    return { revision: known.length - 1, position: known.at(-1)!.position, duplicate: false }
  }

  const through = (gate: Gate): EventLog => ({
    append: (stream, expected, events, context) => {
      calls.push(`append ${stream}`)
      return gate(`append ${stream} ${events.map(({ type }) => type).join()}`, () => append(stream, expected, events, context))
    },
    readStream: <E extends Readonly<{ type: string; data: unknown }>>(stream: string, options: Readonly<{ from?: number }> = {}) => {
      calls.push(`read ${stream}`)
      // The reader names the type of what it reads, as with every log.
      return gate(`read ${stream}`, () => (streams.get(stream) ?? []).slice(options.from ?? 0) as readonly Recorded<E>[])
    },
    readAll: async () => ({ events: all, to: { commit: BigInt(all.length - 1), prepare: 0n }, caughtUp: true }),
    subscribe: () => {
      throw new Error('the model has no subscriptions')
    },
    head: async () => ({ commit: BigInt(all.length - 1), prepare: 0n }),
    close: async () => {},
  })

  return { log: through(straight), streams, calls, through }
}

const place = (stream: string, revision: number, id: string, context: AppendContext) => {
  const { workspaceId, actor, requestId, at } = context
  const meta: EventMeta = { workspaceId, actor, requestId, at, schemaVersion: 1 }
  return { id, stream, revision, created: at, meta, erased: false }
}
