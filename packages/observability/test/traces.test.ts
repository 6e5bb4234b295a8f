import type { Tracer } from '@opentelemetry/api'
import { AlwaysOffSampler, InMemorySpanExporter, SimpleSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import { describe, expect, it } from 'vitest'
import { plainAttributes, providerAttributes } from '../src/traces/attributes.ts'
import { callerBudget } from '../src/traces/caller-budget.ts'
import { recordTraces } from '../src/traces/record-traces.ts'
import { reportedExporter } from '../src/traces/reported-exporter.ts'
import { traceSettings } from '../src/traces/settings.ts'
import { parseTraceParent, type TraceContext, traceParentOf } from '../src/traces/trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const place: TraceContext = { traceId: TRACE, spanId: SPAN, isSampled: true }

describe('a traceparent', () => {
  it('is read as W3C Trace Context has it, and written so', () => {
    expect(parseTraceParent(`00-${TRACE}-${SPAN}-01`)).toEqual(place)
    expect(parseTraceParent(`00-${TRACE}-${SPAN}-00`)).toEqual({ ...place, isSampled: false })
    // Flags of a later version, and what it has behind them.
    expect(parseTraceParent(`00-${TRACE}-${SPAN}-03`)).toEqual(place)
    expect(parseTraceParent(`01-${TRACE}-${SPAN}-01-more`)).toEqual(place)
    expect(parseTraceParent(traceParentOf(place))).toEqual(place)
  })

  it.each([
    undefined,
    '',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
    `01-${TRACE}-${SPAN}-01-${'x'.repeat(600)}`,
    [`00-${TRACE}-${SPAN}-01`],
  ])('is ignored where it is none: %j', (text) => expect(parseTraceParent(text)).toBeNull())
})

describe('attributes', () => {
  it('are those of the list, with texts that can be no sentence and no address', () => {
    const given = {
      'http.route': '/api/v1/public/profiles/:id',
      'http.response.status_code': 202,
      'tidings.workspace': undefined,
      'error.type': 'no such person: ada@example.com',
      'tidings.provider': 'Ada Lovelace',
      'user.email': 'ada',
    }
    expect(plainAttributes(given)).toEqual({ 'http.route': '/api/v1/public/profiles/:id', 'http.response.status_code': 202 })
  })

  it('tell the host of a provider that is known by it', () => {
    expect(providerAttributes('relay.example:587#9f2c')).toEqual({
      'tidings.provider': 'relay.example:587#9f2c',
      'server.address': 'relay.example',
      'server.port': 587,
    })
    expect(providerAttributes('outbox')).toEqual({ 'tidings.provider': 'outbox' })
  })
})

describe('the standard variables', () => {
  const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  it.each([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
    { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' },
    { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
    { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'console,zipkin' },
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector:4318' },
  ])('leave traces off: %j', (env) => expect(traceSettings(env)).toBeNull())

  it('choose protocol, sampler and batches; the ones of traces alone come first', () => {
    expect(traceSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' })).toEqual({
      ...{ protocol: 'http/protobuf', sampler: 'parentbased_always_on', ratio: 1, batch: {}, mistakes: [] },
    })
    const env = {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_BSP_MAX_QUEUE_SIZE: '10',
    }
    expect(traceSettings(env)).toEqual({
      ...{ protocol: 'grpc', sampler: 'parentbased_traceidratio', ratio: 0.25 },
      ...{ batch: { scheduledDelayMillis: 100, maxQueueSize: 10 }, mistakes: [] },
    })
  })

  it('say in a line each what of them is not taken', () => {
    expect(traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'the collector' })?.mistakes).toHaveLength(1)
    const env = { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'thrift', OTEL_TRACES_SAMPLER_ARG: '2', OTEL_BSP_MAX_QUEUE_SIZE: '1e9' }
    const settings = traceSettings(env)
    expect(settings).toMatchObject({ protocol: 'http/protobuf', ratio: 1, batch: {} })
    expect(settings?.mistakes.map((line) => line.split(' ')[0])).toEqual([
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'OTEL_TRACES_SAMPLER_ARG',
      'OTEL_BSP_MAX_QUEUE_SIZE',
    ])
  })
})

it('callers that are not known make a process record no more than a burst, and then some a second', () => {
  let now = 0
  const budget = callerBudget(() => now)
  const taken = (times: number): number => Array.from({ length: times }, () => budget.take()).filter(Boolean).length
  expect(taken(1_000)).toBe(200)
  now += 1_000
  expect(taken(1_000)).toBe(20)
  budget.giveBack()
  expect(taken(1_000)).toBe(1)
  now += 3_600_000
  expect(taken(1_000)).toBe(200)
})

/** No look-up that answers is too late. */
const recording = (waitMs = 600_000) => {
  const exporter = new InMemorySpanExporter()
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  return { traces: recordTraces(provider.getTracer('test'), () => provider.shutdown(), waitMs), spans: () => exporter.getFinishedSpans() }
}

describe('spans', () => {
  it('stand inside of each other, across the awaits between them', async () => {
    const { traces, spans } = recording()
    const request = traces.begin({ name: 'request', kind: 'server', parent: place })
    if (request === null) throw new Error('the request is not recorded')
    await traces.within(request, async () => {
      await Promise.resolve()
      await traces.part({ name: 'write', kind: 'producer' }, async () => undefined)
    })
    request.end()
    request.end('twice')
    expect(spans().map(({ name, parentSpanContext, status }) => [name, parentSpanContext?.spanId, status.code])).toEqual([
      ['write', request.context.spanId, 0],
      ['request', SPAN, 0],
    ])
    expect(new Set(spans().map((span) => span.spanContext().traceId))).toEqual(new Set([TRACE]))
  })

  it('are none outside of a trace, and none in what goes on behind the end of theirs', async () => {
    const { traces, spans } = recording()
    expect(await traces.part({ name: 'alone', kind: 'internal' }, async (span) => span)).toBeNull()
    const request = traces.begin({ name: 'request', kind: 'server', parent: null })
    if (request === null) throw new Error('the request is not recorded')
    const { promise, resolve } = Promise.withResolvers<void>()
    const loop = traces.within(request, async () => {
      await promise
      return await traces.part({ name: 'late', kind: 'internal' }, async () => traces.active())
    })
    request.end()
    resolve()
    expect(await loop).toBeNull()
    expect(spans().map(({ name }) => name)).toEqual(['request'])
  })

  it('say the kind of a failure and not its words, and a line about it finds its trace', async () => {
    const { traces, spans } = recording()
    traces.remember(['a message'], place)
    class RelayRefused extends Error {
      override readonly name = 'RelayRefused'
    }
    const error = new RelayRefused('ada@example.com: mailbox full')
    await expect(traces.join(['a message'], { name: 'send', kind: 'consumer' }, () => Promise.reject(error))).rejects.toBe(error)
    const [span] = spans()
    expect(span).toMatchObject({ attributes: { 'error.type': 'RelayRefused' }, events: [] })
    expect(span?.status).toEqual({ code: 2 })
    expect(traces.fieldsOf(error)).toEqual({ trace_id: TRACE, span_id: span?.spanContext().spanId })
    expect(traces.fieldsOf(new Error('another'))).toBeNull()
  })

  it('are linked with at most 32 others', () => {
    const { traces, spans } = recording()
    const span = traces.begin({ name: 'report', kind: 'server', parent: null })
    for (let n = 0; n < 1_000; n++) span?.link(place)
    span?.end()
    expect(spans()[0]?.links).toHaveLength(32)
  })

  it('are not there where the caller, or the sampler, wants none', () => {
    const { traces } = recording()
    expect(traces.begin({ name: 'request', kind: 'server', parent: { ...place, isSampled: false } })).toBeNull()
    const never: Tracer = new TracerProvider({ sampler: new AlwaysOffSampler() }).getTracer('test')
    expect(recordTraces(never, async () => undefined).begin({ name: 'request', kind: 'server', parent: place })).toBeNull()
  })
})

describe('the trace of a message', () => {
  it('is that which is stored, once it is looked up, and none where the look-up fails or never answers', async () => {
    const { traces } = recording()
    const asked: (readonly string[])[] = []
    traces.lookIn(async (ids) => {
      asked.push(ids)
      return new Map([['two', traceParentOf(place)]])
    })
    expect(await traces.contextOf(['one', 'two'])).toEqual(place)
    expect(await traces.contextOf(['two'])).toEqual(place)
    expect(asked).toEqual([['one', 'two']])
    const elsewhere: TraceContext = { ...place, spanId: '1'.repeat(16) }
    traces.remember(['three', 'two'], elsewhere)
    expect(await traces.contextOf(['three', 'two'])).toEqual(elsewhere)
    expect(await traces.contextOf(['two', 'three'])).toEqual(place)
    traces.lookIn(() => Promise.reject(new Error('the database is away')))
    expect(await traces.contextOf(['away'])).toBeNull()
    const impatient = recording(1).traces
    impatient.lookIn(() => new Promise(() => undefined))
    expect(await impatient.contextOf(['four'])).toBeNull()
    expect(await impatient.join(['five'], { name: 'send', kind: 'consumer' }, async (span) => span)).toBeNull()
  })
})

it('a collector that is away costs a line when it begins and one when it is over', async () => {
  const lines: string[] = []
  const line = (level: string) => (fields: unknown) => void lines.push(`${level} ${JSON.stringify(fields)}`)
  let answer: { code: number; error?: Error } = { code: 1, error: Object.assign(new Error('Basic c2VjcmV0'), { code: 401 }) }
  const failing: SpanExporter = { export: (_, done) => done(answer), shutdown: async () => undefined }
  let now = 0
  const log = { warn: line('warn'), info: line('info') }
  const exporter = reportedExporter(failing, log as Parameters<typeof reportedExporter>[1], () => now)
  const send = () => exporter.export([], () => undefined)
  for (let n = 0; n < 100; n++) send()
  expect(lines).toEqual(['warn {"failure":"Error","code":"401","spans":0}'])
  answer = { code: 0 }
  for (let n = 0; n < 100; n++) send()
  expect(lines).toHaveLength(2)
  answer = { code: 1 }
  send()
  expect(lines).toHaveLength(2)
  now += 600_000
  send()
  expect(lines).toHaveLength(3)
})
