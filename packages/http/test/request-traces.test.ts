import { recordInMemory } from '@tidings/observability/testing'
import { callerBudget, traces } from '@tidings/observability/traces'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bareApp } from '../src/bare-app.ts'
import { afterTimeout } from '../src/body/body-rate.ts'
import { requestTraces } from '../src/request-traces.ts'
import { A_UUID, acme, acmeRevoked, demoApp, THING } from './demo-app.fixture.ts'

let recording: ReturnType<typeof recordInMemory>
beforeEach(() => {
  recording = recordInMemory()
})
afterEach(() => recording.stop())

const unlimited = { settings: { rateLimits: { default: 'off', key: 'off', forms: 'off' } } } as const
const named = (name: string) => recording.spans().filter((span) => span.name === name)
const TRACE = 'a'.repeat(32)

describe('requests', () => {
  it('are recorded by the template of their route, with the workspace of their key', async () => {
    const app = demoApp()
    const headers = { ...acme, 'x-request-id': 'mine', traceparent: `00-${TRACE}-${'b'.repeat(16)}-01` }
    await app.inject({ method: 'GET', url: `${THING}/${A_UUID}?search=ada@example.com`, headers })
    await app.inject({ method: 'GET', url: `${THING}/${A_UUID}`, headers })
    await app.close()
    expect(named(`GET ${THING}/:id`)).toMatchObject([
      { traceId: TRACE, parentSpanId: 'b'.repeat(16), attributes: { 'http.response.status_code': 400 } },
      {
        attributes: {
          'http.response.status_code': 200,
          'tidings.request_id': 'mine',
          'tidings.workspace': '0192f0c0-0000-7000-8000-000000000001',
        },
      },
    ])
    expect(JSON.stringify(recording.spans())).not.toContain('ada@')
  })

  it('go on in their span behind the body that came in pieces', async () => {
    const app = demoApp({}, (api) => {
      api.post('/api/v1/inside', async () => ({ inside: traces()?.active() !== null }))
    })
    const answer = await app.inject({ method: 'POST', url: '/api/v1/inside', headers: acme, payload: {} })
    await app.close()
    expect(answer.json()).toMatchObject({ data: { inside: true } })
  })

  it('of health, of metrics and of no route are not recorded', async () => {
    const app = demoApp({ ready: {} })
    for (const url of ['/health/live', '/health/ready', '/metrics', '/health/live?x=1', '/nothing']) await app.inject({ url })
    await app.close()
    expect(recording.spans()).toEqual([])
  })

  it('with a key are recorded however many come; those without one as far as their budget goes, whatever they say', async () => {
    const app = demoApp(unlimited)
    for (let n = 0; n < 500; n++) await app.inject({ method: 'GET', url: THING, headers: acme })
    expect(recording.spans()).toHaveLength(500)
    await app.close()

    const bare = bareApp({ bodyLimit: 1_000, after: afterTimeout })
    bare.decorateRequest('tenant', null as never)
    bare.register(requestTraces, { traces: recording.traces, budget: callerBudget(() => 0) })
    bare.register(async (scope) => {
      scope.get('/open', async () => 'yes')
    })
    for (let n = 0; n < 500; n++) await bare.inject({ url: '/open', headers: { traceparent: `00-${TRACE}-${'b'.repeat(16)}-01` } })
    await bare.close()
    expect(named('GET /open')).toHaveLength(200)
  })

  it('with a key that is refused, or with a method that a caller made up, say no more than that', async () => {
    const app = demoApp()
    await app.inject({ method: 'GET', url: THING, headers: acmeRevoked })
    await app.close()
    expect(recording.spans()).toMatchObject([{ attributes: { 'http.response.status_code': 401 } }])
    expect(Object.keys(recording.spans()[0]?.attributes ?? {})).not.toContain('tidings.workspace')
  })
})
