import { testDatabase } from '@tidings/testing'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '@tidings/testing/otlp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { PROVIDER_SECRET, signed } from './support/receipts.ts'
import { type Stack, startStack } from './support/stack.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'

// Each role is a process of its own, and each speaks to the collector in another way: the command side in protobuf, the consumers in JSON, the query
// side over gRPC.

let database: Awaited<ReturnType<typeof testDatabase>>
let installation: Installation
let collector: OtlpReceiver
let hooks: Receiver
let stack: Stack
let acme: Client

const SECRET_PATH = '/of-bathsheba/1f0c6f'
const REFUSED_PATH = '/elsewhere'

beforeAll(async () => {
  database = await testDatabase()
  collector = await startOtlpReceiver()
  hooks = await startReceiver()
  installation = await install(database.url, {
    TIDINGS_LOG_LEVEL: 'warn',
    TIDINGS_PROVIDER_SECRET: PROVIDER_SECRET,
    TIDINGS_WEBHOOK_ALLOW_LOCAL: '1',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  })
  stack = await startStack(installation.env, undefined, [
    { OTEL_SERVICE_NAME: 'commands', OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip', OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=one' },
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.grpcUrl },
    {},
    { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
  ])
  acme = clientOf({ url: stack.url, applied: (await installation.workspace('acme')).applied, shown: installation.shown })
  hooks.reply(({ path }) => (path === REFUSED_PATH ? 302 : 200))
  for (const [path, events] of [
    [SECRET_PATH, ['email.sent', 'email.delivered']],
    [REFUSED_PATH, ['contact.created']],
  ])
    expect((await acme.request('POST', '/public/webhooks', { url: `${hooks.url}${path}`, events })).status).toBe(201)
})
afterAll(async () => {
  await stack.stop()
  await installation.close()
  await hooks.close()
  await collector.close()
  await database.drop()
})

const traceId = (digit: string): string => digit.repeat(32)
const CALLER = 'b7ad6b7169203331'

const sendWith = async (to: string, headers: Readonly<Record<string, string>>, content: Readonly<Record<string, unknown>> = {}) => {
  const answer = await acme.request(
    'POST',
    '/public/messages/email',
    { to, fromEmail: acme.fromEmail, subject: 'Hello', html: '<p>Hi</p>', ...content },
    headers,
  )
  expect(answer.status).toBe(202)
  return String((answer.body.data as Readonly<Record<string, unknown>>).messageId)
}

const spansOf = (trace: string): readonly ReceivedSpan[] => collector.spans().filter((span) => span.traceId === trace)
const named = (spans: readonly ReceivedSpan[], name: string): readonly ReceivedSpan[] => spans.filter((span) => span.name === name)
/** Whether the request, the attempt and the receipt have ended, each with its append. */
const ended = (found: readonly ReceivedSpan[]): boolean =>
  [found.filter(({ kind }) => kind === 2), named(found, 'process send-email'), named(found, 'process receipt')].every(([span]) =>
    named(found, 'send log').some(({ parentSpanId }) => parentSpanId === span?.spanId),
  )
const receipt = (messageId: string) => {
  const body = JSON.stringify([{ type: 'delivered', messageId }])
  return fetch(`${stack.url}/api/v1/providers/email/events`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Tidings-Signature': signed(body), 'X-Request-Id': 'the-receipt' },
    body,
  })
}

describe('traces', () => {
  it('one trace from the request to the webhook, over all processes, goes on with that of the caller', async () => {
    const trace = traceId('a')
    const messageId = await sendWith(
      'Bathsheba.Everdene@weatherbury.example',
      { traceparent: `00-${trace}-${CALLER}-01`, tracestate: 'vendor=bathsheba', 'X-Request-Id': 'order-4711' },
      { subject: 'Dear Bathsheba, call 050-123-4567', html: '<p>gabriel oak loves you</p><a href="https://shop.example/?code=s3cr3t">' },
    )
    await acme.messageWith(messageId, 'sent')
    await hooks.wait(SECRET_PATH, 1)
    expect((await receipt(messageId)).status).toBe(200)
    await hooks.wait(SECRET_PATH, 2)
    const spans = await eventually(
      async () => spansOf(trace),
      // A span comes when it has ended: a webhook may have gone out before the append that it reports was answered.
      (found) => ended(found) && named(found, 'POST webhook').length === 3,
    )
    const [request, ...others] = spans.filter(({ kind }) => kind === 2)
    expect(others).toEqual([])
    expect(request).toMatchObject({
      name: 'POST /api/v1/public/messages/email',
      service: 'commands',
      parentSpanId: CALLER,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/public/messages/email',
        'http.response.status_code': 202,
        'tidings.request_id': 'order-4711',
        'tidings.workspace': acme.applied.workspace.id,
      },
    })
    const sent = named(spans, 'send log')
    const accepting = sent.filter(({ parentSpanId }) => parentSpanId === request?.spanId)
    expect(accepting.length).toBeGreaterThan(0)
    for (const one of accepting)
      expect(one).toMatchObject({ kind: 4, attributes: { 'tidings.position': expect.stringMatching(/^\d{20}/) } })
    const [attempt] = named(spans, 'process send-email')
    expect(attempt).toMatchObject({
      kind: 5,
      service: 'tidings',
      attributes: { 'tidings.outcome': 'done', 'tidings.request_id': 'order-4711' },
    })
    expect(accepting.map(({ spanId }) => spanId)).toContain(attempt?.parentSpanId)
    const [providerCall] = named(spans, 'hand over')
    expect(providerCall).toMatchObject({ kind: 3, parentSpanId: attempt?.spanId, attributes: { 'tidings.provider': 'outbox' } })
    const [recording] = sent.filter(({ parentSpanId }) => parentSpanId === attempt?.spanId)
    const [delivered] = named(spans, 'process receipt')
    const hooked = named(spans, 'POST webhook')
    expect(hooked.filter(({ parentSpanId }) => parentSpanId === recording?.spanId)).toMatchObject([
      { kind: 3, attributes: { 'http.response.status_code': 200, 'tidings.outcome': 'delivered' } },
    ])
    // The receipt came by a request of its own, which is linked with the trace of the message, and it with that.
    const [brought] = await eventually(
      async () => named(collector.spans(), 'POST /api/v1/providers/email/events'),
      (found) => found.length === 1,
    )
    expect(delivered?.links).toEqual([{ traceId: brought?.traceId, spanId: brought?.spanId }])
    expect(brought).toMatchObject({ attributes: { 'tidings.request_id': 'the-receipt' } })
    expect(brought?.links).toContainEqual({ traceId: trace, spanId: delivered?.spanId })
    expect(brought?.traceId).not.toBe(trace)
    expect(new Set(spans.map(({ instance }) => instance)).size).toBe(2)
    for (const { start, end } of spans) expect(end >= start).toBe(true)
  })

  it('a caller that wants no trace has none, and one that writes its wrong has one of ours', async () => {
    const unwanted = traceId('b')
    await acme.messageWith(await sendWith('unrecorded@traces.example', { traceparent: `00-${unwanted}-${CALLER}-00` }), 'sent')
    const malformed = traceId('c')
    const wrong = { traceparent: `00-${malformed}-${CALLER}`, 'X-Request-Id': 'wrong-trace' }
    await acme.messageWith(await sendWith('somebody@traces.example', wrong), 'sent')
    const [ours] = await eventually(
      async () => collector.spans().filter(({ attributes }) => attributes['tidings.request_id'] === 'wrong-trace'),
      (found) => named(found, 'process send-email').length === 1 && found.some(({ kind }) => kind === 2),
    )
    expect(ours?.traceId).toMatch(/^[\da-f]{32}$/)
    expect(spansOf(malformed)).toEqual([])
    expect(spansOf(unwanted)).toEqual([])
  })

  it('reads are recorded over gRPC, and health and metrics nowhere', async () => {
    const trace = traceId('d')
    await acme.request('GET', '/public/profiles/lookup?email=bathsheba.everdene@weatherbury.example', undefined, {
      traceparent: `00-${trace}-${CALLER}-01`,
    })
    const [read] = await eventually(
      async () => spansOf(trace),
      (found) => found.length > 0,
    )
    expect(read).toMatchObject({ name: 'GET /api/v1/public/profiles/lookup', kind: 2, parentSpanId: CALLER })
    expect(collector.spans().filter(({ name }) => /health|metrics/.test(name))).toEqual([])
  })

  it('a line of the log names the trace that it belongs to', async () => {
    const lines = await eventually(
      async () =>
        stack
          .of('consumers')
          .output()
          .split('\n')
          .filter((line) => line.includes('"trace_id"')),
      (found) => found.length > 0,
    )
    expect(lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)).toContainEqual(
      expect.objectContaining({ trace_id: traceId('a'), span_id: expect.stringMatching(/^[\da-f]{16}$/) }),
    )
  })

  it('says nothing of a person, of a message, of a query or of where a webhook goes', () => {
    const bytes = collector.exports.map(({ body }) => body.toString('latin1').toLowerCase()).join('\n')
    expect(bytes.includes('order-4711')).toBe(true)
    for (const said of ['bathsheba', 'everdene', 'weatherbury', '050-123', 'gabriel', 's3cr3t', 'email=', SECRET_PATH, 'traces.example'])
      expect([said, bytes.includes(said)]).toEqual([said, false])
    expect(
      collector.spans().flatMap(({ name, attributes }) => [name, ...Object.values(attributes)].filter((one) => String(one).includes('@'))),
    ).toEqual([])
    expect(collector.exports.some(({ headers }) => headers['x-tenant'] === 'one' && headers['content-encoding'] === 'gzip')).toBe(true)
  })

  it('a collector that refuses, or never answers, costs its spans and a line, and no stop waits for it', async () => {
    for (const answer of [500, 'never'] as const) {
      collector.answer(answer)
      for (let n = 0; n < 5; n++) await acme.messageWith(await sendWith(`away-${answer}-${n}@traces.example`, {}), 'sent')
    }
    const said = () =>
      stack
        .of('consumers')
        .output()
        .split('\n')
        .filter((line) => line.includes('spans could not be sent'))
    await eventually(
      async () => said().length,
      (count) => count === 1,
    )
    expect(await stack.end('consumers', 'SIGTERM')).toMatchObject({ code: 0, signal: null })
    expect(said()).toHaveLength(1)
  })
})
