import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { recordTraces } from '../../src/traces/record-traces.ts'
import { setTraces, type Traces } from '../../src/traces/traces.ts'

/** A span as tests look at it. */
type RecordedSpan = Readonly<{
  name: string
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  attributes: Readonly<Record<string, unknown>>
  links: readonly string[]
}>

/** Switches the traces of this process on, with the libraries that the product has, and keeps every span that ends. `stop` switches them off. */
export function recordInMemory(): Readonly<{ traces: Traces; spans: () => readonly RecordedSpan[]; stop: () => void }> {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const traces = recordTraces(provider.getTracer('test'), () => provider.shutdown(), 600_000)
  setTraces(traces)
  return {
    traces,
    spans: () =>
      exporter.getFinishedSpans().map((span) => ({
        ...span.spanContext(),
        name: span.name,
        parentSpanId: span.parentSpanContext?.spanId,
        attributes: span.attributes,
        links: span.links.map(({ context }) => context.spanId),
      })),
    stop: () => setTraces(null),
  }
}
