import { AsyncLocalStorage } from 'node:async_hooks'
import { type Span as OtelSpan, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, type Tracer, trace } from '@opentelemetry/api'
import { errorType, plainAttributes } from './attributes.ts'
import { keptContexts } from './kept-contexts.ts'
import type { TraceContext } from './trace-context.ts'
import type { Span, SpanStart, Traces } from './traces.ts'

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

/** The most links of a span: a report of a provider may be about a thousand messages. */
const MAX_LINKS = 32

const otelContext = ({ traceId, spanId, isSampled }: TraceContext) => ({
  traceId,
  spanId,
  traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
})

const spanOver = (recorded: OtelSpan): Span => {
  const { traceId, spanId } = recorded.spanContext()
  let isOver = false
  let links = 0
  return {
    context: { traceId, spanId, isSampled: true },
    set: (attributes) => void recorded.setAttributes(plainAttributes(attributes)),
    link: (other) => {
      if (links++ < MAX_LINKS) recorded.addLink({ context: otelContext(other) })
    },
    isOver: () => isOver,
    end: (failed) => {
      if (isOver) return
      isOver = true
      if (failed !== undefined) {
        recorded.setAttributes(plainAttributes({ 'error.type': failed }))
        recorded.setStatus({ code: SpanStatusCode.ERROR })
      }
      recorded.end()
    },
  }
}

/** The traces that `tracer` records; `flush` sends what it has, and ends it. `waitMs`: the longest wait for a look-up. */
export function recordTraces(tracer: Tracer, flush: () => Promise<void>, waitMs?: number): Traces {
  const spans = new AsyncLocalStorage<Span>()
  const kept = keptContexts(waitMs)
  const failures = new WeakMap<object, TraceContext>()
  // What begins in a request and goes on for ever, a connection or a loop, would stay in its trace.
  const active = (): Span | null => {
    const span = spans.getStore()
    return span === undefined || span.isOver() ? null : span
  }
  const begin = ({ name, kind, parent, links = [], attributes = {} }: SpanStart): Span | null => {
    const inside = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, otelContext(parent))
    const options = {
      kind: KINDS[kind],
      attributes: plainAttributes(attributes),
      links: links.slice(0, MAX_LINKS).map((link) => ({ context: otelContext(link) })),
    }
    const recorded = tracer.startSpan(name, options, inside)
    return recorded.isRecording() ? spanOver(recorded) : null
  }
  const run = async <T>(span: Span | null, work: (span: Span | null) => Promise<T>): Promise<T> => {
    if (span === null) return await work(null)
    try {
      const done = await spans.run(span, () => work(span))
      span.end()
      return done
    } catch (error) {
      if (error instanceof Error && !failures.has(error)) failures.set(error, span.context)
      span.end(errorType(error))
      throw error
    }
  }
  return {
    active,
    begin,
    within: (span, work) => spans.run(span, work),
    part: (start, work) => {
      const around = active()
      return around === null ? work(null) : run(begin({ ...start, parent: around.context }), work)
    },
    under: (parent, start, work) => run(begin({ ...start, parent }), work),
    join: async (ids, start, work) => {
      const parent = await kept.contextOf(ids)
      return parent === null ? await work(null) : await run(begin({ ...start, parent }), work)
    },
    contextOf: kept.contextOf,
    remember: kept.remember,
    lookIn: kept.lookIn,
    fieldsOf: (error) => {
      const at = active()?.context ?? (error instanceof Error ? failures.get(error) : undefined)
      return at === undefined ? null : { trace_id: at.traceId, span_id: at.spanId }
    },
    stop: flush,
  }
}
