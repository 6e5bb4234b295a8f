import { randomUUID } from 'node:crypto'
import { defaultResource, detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from '../log.ts'
import { recordTraces } from './record-traces.ts'
import { reportedExporter } from './reported-exporter.ts'
import type { Protocol, TraceSettings } from './settings.ts'
import type { Traces } from './traces.ts'

/** Each loads what it needs and no more: gRPC is 40 ms of a start. */
const exporterOf = async (protocol: Protocol): Promise<SpanExporter> => {
  if (protocol === 'grpc') return new (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter()
  if (protocol === 'http/json') return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter()
  return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter()
}

const samplerOf = ({ sampler, ratio }: TraceSettings): Sampler => {
  const root = sampler.endsWith('always_off')
    ? new AlwaysOffSampler()
    : sampler.endsWith('traceidratio')
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler()
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

/** Nothing of the machine and its command line: arguments may hold secrets. */
const resourceOf = (version: string): Resource => {
  const own = { 'service.name': 'tidings', 'service.version': version, 'service.instance.id': randomUUID() }
  return defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }))
}

/** A stop has 10 s in all, of which sending what is recorded may take 2 (M69). */
const FLUSH_MS = 1_500

type Process = Readonly<{ log: Logger; version: string }>

/** Rejects where the environment says what the exporter cannot take. */
export async function openTelemetry(settings: TraceSettings, { log, version }: Process): Promise<Traces> {
  const exporter = reportedExporter(await exporterOf(settings.protocol), log)
  const provider = new TracerProvider({
    sampler: samplerOf(settings),
    resource: resourceOf(version),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...settings.batch })],
  })
  return recordTraces(provider.getTracer('tidings', version), async () => {
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, FLUSH_MS)
    // What could not be sent was reported by the exporter.
    await Promise.race([provider.shutdown().catch(() => undefined), late])
    clearTimeout(timer)
  })
}
