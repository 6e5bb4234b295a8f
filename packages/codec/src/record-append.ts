import { type Appended, type EventToAppend, type EventTrace, positionText } from '@tidings/event-store'
import { type TraceContext, type Traces, traceParentOf } from '@tidings/observability/traces'
import type { Draft } from './event-log.ts'

/** The most events of an append that what follows from it is recorded of: a request may change thousands of contacts. */
const MAX_TRACED = 16

const MESSAGE = /^message-.*([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})$/

const START = {
  name: 'send log',
  kind: 'producer',
  attributes: { 'messaging.system': 'tidings', 'messaging.operation.type': 'send', 'messaging.destination.name': 'log' },
} as const

const traceOf = (stream: string, context: TraceContext): EventTrace => {
  const messageId = MESSAGE.exec(stream)?.[1]
  return { traceparent: traceParentOf(context), ids: messageId === undefined ? [] : [messageId] }
}

const isSame = (one: TraceContext, other: TraceContext): boolean => one.spanId === other.spanId && one.traceId === other.traceId

/** Where the commands of the events are: one place for each event, or undefined. */
const placesOf = (active: TraceContext | undefined, { events, context }: Draft): readonly (TraceContext | undefined)[] =>
  events.map((_, n) => ('length' in context ? context[n] : context)?.trace ?? active)

type Stored = readonly (readonly EventToAppend[])[]

/**
 * Writes the appends as a part of the trace that their command belongs to, and says so of their events (M69): who handles them goes on with the trace, in
 * whatever process. Where commands of several traces share an append, it is a part of the first and linked with the others. Outside of a trace it only writes.
 */
export async function recordAppend<R extends readonly Appended[]>(
  all: Traces,
  { drafts, stored }: Readonly<{ drafts: readonly Draft[]; stored: Stored }>,
  write: (stored: Stored) => Promise<R>,
): Promise<R> {
  const active = all.active()?.context
  const places = drafts.map((draft) => placesOf(active, draft))
  const known = places.flat().filter((place) => place !== undefined)
  const [first] = known
  if (first === undefined) return await write(stored)
  const links = known.filter((place, n) => !isSame(place, first) && known.findIndex((other) => isSame(place, other)) === n)
  return await all.under(first, { ...START, links }, async (span) => {
    if (span === null) return await write(stored)
    let left = MAX_TRACED
    const withTrace = (event: EventToAppend, stream: string, place: TraceContext | undefined): EventToAppend => {
      if (place === undefined || left-- <= 0) return event
      const trace = traceOf(stream, isSame(place, first) ? span.context : place)
      // A reader of this process may have it before the store has answered.
      all.remember([event.id, ...trace.ids], isSame(place, first) ? span.context : place)
      return { ...event, trace }
    }
    const results = await write(
      stored.map((events, n) => events.map((event, nth) => withTrace(event, drafts[n]?.stream ?? '', places[n]?.[nth]))),
    )
    const last = results.at(-1)
    if (last !== undefined) span.set({ 'tidings.position': positionText(last.position) })
    return results
  })
}
