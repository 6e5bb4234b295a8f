import type { SpanAttributes } from './attributes.ts'
import type { TraceContext } from './trace-context.ts'

type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal'

/** `parent` null: a trace of its own, as far as the sampler wants it. `links`: other traces that it belongs to. */
export type SpanStart = Readonly<{
  name: string
  kind: SpanKind
  parent: TraceContext | null
  links?: readonly TraceContext[]
  attributes?: SpanAttributes
}>

/** Work under way that is recorded. */
export type Span = Readonly<{
  context: TraceContext
  set: (attributes: SpanAttributes) => void
  link: (other: TraceContext) => void
  isOver: () => boolean
  /** `errorType`: why it failed. A second call does nothing. */
  end: (errorType?: string) => void
}>

type Work<T> = (span: Span | null) => T

type Part = Omit<SpanStart, 'parent'>

/** The traces of this process. */
export type Traces = Readonly<{
  /** The span in which the caller runs; null outside of every trace, and in work that goes on behind the end of its span. */
  active: () => Span | null
  /** Null where the sampler does not want it. */
  begin: (start: SpanStart) => Span | null
  /** Runs the work, and all that it waits for, in the span. */
  within: <T>(span: Span, work: () => T) => T
  /** Runs the work in a span of its own inside of the caller's; outside of every trace, only runs it. */
  part: <T>(start: Part, work: Work<Promise<T>>) => Promise<T>
  /** Runs the work in a span inside of that one, which may be another process's. */
  under: <T>(parent: TraceContext, start: Part, work: Work<Promise<T>>) => Promise<T>
  /** Runs the work in a span of the trace that one of the events, or of the messages, belongs to; where none does, only runs it. */
  join: <T>(ids: readonly string[], start: Part, work: Work<Promise<T>>) => Promise<T>
  /** The trace of the first of these events or messages that belongs to one. Never rejects, and waits for 5 s at most. */
  contextOf: (ids: readonly string[]) => Promise<TraceContext | null>
  /** These events and messages belong to the trace. */
  remember: (ids: readonly string[], context: TraceContext) => void
  /** From now on contexts of other processes are looked up by this: `traceparent` by id. */
  lookIn: (lookUp: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>) => void
  /** What a log line says of the trace that it is written in, or in which its error was met. */
  fieldsOf: (error: unknown) => Readonly<{ trace_id: string; span_id: string }> | null
  /** Sends what is recorded, for 1.5 s at most. */
  stop: () => Promise<void>
}>

let current: Traces | null = null

/** The traces of this process; null where they are off, which is all that they cost then. */
export function traces(): Traces | null {
  return current
}

/** Called once a process, before its parts are built. */
export function setTraces(opened: Traces | null): void {
  current = opened
}
